/*
 * Memory types from the MTRRs. Core.
 *
 * Source: SDM "Memory Type Range Registers (MTRRs)": "IA32_MTRR_DEF_TYPE MSR", "Fixed Range MTRRs", "Variable Range
 * MTRRs", "MTRR Precedences".
 */
#ifndef VMX_EPT_MTRR_H
#define VMX_EPT_MTRR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/msr_numbers.h"

#define MEMORY_TYPE_UC 0
#define MEMORY_TYPE_WC 1
#define MEMORY_TYPE_WT 4
#define MEMORY_TYPE_WP 5
#define MEMORY_TYPE_WB 6
#define MEMORY_TYPE_MIXED (-1)

#define MTRR_NR_FIXED 11u
#define MTRR_MAX_VARIABLE 32u

#define MTRR_DEF_TYPE_FE (1ull << 10)
#define MTRR_DEF_TYPE_E (1ull << 11)
#define MTRR_PHYSMASK_VALID (1ull << 11)

/* The MSRs as read on one CPU. fixed is in the order of mtrr_fixed_msrs. */
struct mtrr_state {
    uint64_t def_type;
    uint64_t fixed[MTRR_NR_FIXED];
    struct {
        uint64_t base, mask;
    } variable[MTRR_MAX_VARIABLE];
    uint32_t nr_variable;
};

/* 64K_00000, 16K_80000, 16K_A0000, 4K_C0000 ... 4K_F8000 */
extern const uint16_t mtrr_fixed_msrs[MTRR_NR_FIXED];

/* Memory type of the block of size bytes at start. size is a power of two from 4096 up, start a multiple of it.
 * MEMORY_TYPE_MIXED: it has several types, or may have: ask for its halves. Never mixed for 4096. */
int mtrr_type(const struct mtrr_state *mtrr, uint64_t start, uint64_t size);

#endif
