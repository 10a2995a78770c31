/* This machine's memory types, as its MTRRs say. Shell, private to vmx/. */
#ifndef VMX_MEMORY_TYPES_H
#define VMX_MEMORY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* Read the MTRRs. Returns whether they say something else than when last read; MTRRs that are off, as they are while an
 * OS changes them, are not looked at after the first time. */
bool memory_types_read(void);

/* As mtrr_type (vmx/mtrr.h). */
int memory_type_of(uint64_t start, uint64_t size);

#endif
