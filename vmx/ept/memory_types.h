/* This machine's memory types, from its MTRRs. Shell, private to vmx/. */
#ifndef VMX_EPT_MEMORY_TYPES_H
#define VMX_EPT_MEMORY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* Read the MTRRs. Returns whether they have changed since the last call. After the first call, disabled MTRRs count as
 * unchanged: an OS disables them while it changes them. */
bool memory_types_read(void);

/* As mtrr_type (vmx/ept/mtrr.h). */
int memory_type_of(uint64_t start, uint64_t size);

#endif
