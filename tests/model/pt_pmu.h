/*
 * The least of a performance-monitoring unit that operating systems need before they take ToPA PMIs.
 */
#ifndef PT_PMU_H
#define PT_PMU_H

#include <stdint.h>

#define PTM_PMU_COUNTERS 4u
#define PTM_PMU_FIXED 3u
#define PTM_COUNTER_BITS 0xffffffffffffull /* 48 of them: CPUID.0AH */
#define PTM_GLOBAL_CTR_FRZ (1ull << 59)
#define PTM_GLOBAL_DS_BUFFER (1ull << 62)

/* The registers; all 0 after reset. */
struct ptm_pmu {
    uint64_t debugctl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t fixed_ctrl;
    uint64_t evtsel[PTM_PMU_COUNTERS];
    uint64_t counter[PTM_PMU_COUNTERS];
    uint64_t fixed[PTM_PMU_FIXED];
    uint64_t last_instructions; /* what the counters have seen */
    uint64_t last_cycles;
    uint64_t pebs_enable, ds_area;
};

#endif
