/*
 * The guest's page tables outside IA-32e mode, as an access to data of the processor's own (a descriptor, a TSS, a
 * stack) goes through them. Core.
 *
 * Source: SDM Vol. 3A "32-Bit Paging", "PAE Paging", "Access Rights", "Accessed and Dirty Flags", "Page-Fault
 * Exceptions".
 */
#ifndef VMX_GUEST_DATA_H
#define VMX_GUEST_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/guest_walk.h"

#define GUEST_DATA_WRITE 2u /* as in a page fault's error code */
#define GUEST_DATA_USER 4u  /* at CPL 3 */

/* The memory at gpa, up to the end of its page. NULL: no table can be there. */
typedef void *guest_data_memory(void *context, uint64_t gpa);

struct guest_data {
    uint64_t gpa;
    uint32_t error_code; /* of the page fault */
};

/* Where linear leads to; accessed and dirty flags are set as a processor does. false: a page fault. access: of
 * GUEST_DATA_*. Reserved bits are not looked at. */
bool guest_data_walk(struct guest_data *data, const struct guest_paging *paging, uint32_t linear, uint32_t access,
                     guest_data_memory *memory, void *context);

#endif
