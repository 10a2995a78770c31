/*
 * Why the processor stopped output with an operational error: the ToPA entry that its output pointers selected when it
 * set IA32_RTIT_STATUS.Error.
 *
 * Source: SDM "ToPA Errors" (36.2.6.2).
 */
#ifndef PT_OUTPUT_FAULT_H
#define PT_OUTPUT_FAULT_H

#include "pt/output/topa.h"

/* Our tables: nr_slots entries, contiguous, the first at pa. */
struct fault_tables {
    const uint64_t *entries;
    uint64_t pa;
    uint32_t nr_slots;
};

struct fault {
    enum topa_error error; /* TOPA_OK: nothing is wrong there */
    uint32_t slot;         /* of the wrong entry; valid if found */
    uint64_t entry;
    bool found; /* false: the pointers select none of our entries */
};

/* Walk from the pointers as the processor does. single_region: the part has CPUID.14H:ECX.MENTRY = 0. */
struct fault fault_find(const struct fault_tables *tables, struct topa_ptrs ptrs, unsigned maxphyaddr,
                        bool single_region);

/* For a gap record's detail: the error, the slot << 8. */
uint32_t fault_detail(const struct fault *fault);

#endif
