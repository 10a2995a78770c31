/*
 * Translation of accesses to data that root mode makes for the processor (to descriptors, a TSS, a stack, the operands
 * of INS and OUTS) through the guest's page tables. Core.
 *
 * Source: SDM Vol. 3A "32-Bit Paging", "PAE Paging", "4-Level Paging and 5-Level Paging", "Access Rights", "Accessed
 * and Dirty Flags", "Page-Fault Exceptions".
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
 * false: a page fault. Reserved bits and protection keys are ignored. Without CR4.SMAP in paging, supervisor mode may
 * access the user's pages, as with RFLAGS.AC. */
bool guest_data_walk(struct guest_data *data, const struct guest_paging *paging, uint64_t linear, uint32_t access,
                     guest_data_memory *memory, void *context);

#endif
