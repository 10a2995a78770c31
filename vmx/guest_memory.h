/* The guest's memory by linear address, as its own page tables have it now. Shell, private to vmx/. */
#ifndef VMX_GUEST_MEMORY_H
#define VMX_GUEST_MEMORY_H

#include <stdint.h>

#define GUEST_NOWHERE UINT64_MAX

/* Guest-physical address, whatever the access rights are. GUEST_NOWHERE: it is not present, or a table above it forbids
 * execution. */
uint64_t guest_translate(uint64_t linear);

/* Copy nr bytes from linear in the current address space. Returns how many could be translated. */
uint32_t guest_memory_read(uint8_t *out, uint64_t linear, uint32_t nr);

#endif
