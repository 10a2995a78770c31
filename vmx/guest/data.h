/*
 * Translation of accesses that the processor makes by itself (to descriptors, a TSS, a stack) outside IA-32e mode,
 * through the guest's page tables. Core.
 *
 * Source: SDM Vol. 3A "32-Bit Paging", "PAE Paging", "Access Rights", "Accessed and Dirty Flags", "Page-Fault
 * Exceptions".
 */
#ifndef VMX_GUEST_DATA_H
#define VMX_GUEST_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/guest/walk.h"

#define GUEST_DATA_WRITE 2u /* as in a page fault's error code */
#define GUEST_DATA_USER 4u  /* at CPL 3 */

/* The memory at gpa, up to the end of its page. NULL: there is none. */
typedef void *guest_data_memory(void *context, uint64_t gpa);

struct guest_data {
    uint64_t gpa;
    uint32_t error_code; /* of the page fault */
};

/* Translate linear for an access of this kind (GUEST_DATA_*), and set accessed and dirty flags as a processor does.
 * false: a page fault. Reserved bits are ignored. */
bool guest_data_walk(struct guest_data *data, const struct guest_paging *paging, uint32_t linear, uint32_t access,
                     guest_data_memory *memory, void *context);

#endif
