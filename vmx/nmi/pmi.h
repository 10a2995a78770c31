/*
 * Our ToPA PMI and the guest's performance counters share LVTPC and IA32_PERF_GLOBAL_STATUS. This decides whose PMI has
 * arrived. Core.
 *
 * Source: SDM Vol. 3B "IA32_PERF_GLOBAL_STATUS MSR", "IA32_PERF_GLOBAL_STATUS_RESET and IA32_PERF_GLOBAL_STATUS_SET",
 * "Freezing LBR and Performance Counters on PMI"; "ToPA PMI" (36.2.6.2).
 */
#ifndef VMX_NMI_PMI_H
#define VMX_NMI_PMI_H

#include <stdbool.h>
#include <stdint.h>

/* Causes of a PMI for the guest: overflow of general (31:0) and fixed (47:32) counters, of PERF_METRICS (48), of an
 * uncore counter (61), of the DS buffer (62). */
#define PERF_GLOBAL_STATUS_COUNTERS 0x6001ffffffffffffull
/* LBR_Frz and CTR_Frz: Freeze_LBRs_On_PMI and Freeze_Perfmon_On_PMI have taken effect. A ToPA PMI triggers them too. */
#define PERF_GLOBAL_STATUS_FROZEN (3ull << 58)

struct pmi {
    bool counters;      /* a counter has overflowed, and the guest has not received its PMI */
    uint64_t delivered; /* the bits of status whose PMI the guest has received */
    uint64_t thaw;      /* freeze bits that no PMI of the guest's explains: if this is a ToPA PMI, it has set them */
};

/* An NMI has arrived. status: IA32_PERF_GLOBAL_STATUS. delivered: as returned last, without the bits that the guest has
 * reset since. */
struct pmi pmi_judge(uint64_t status, uint64_t delivered);

#endif
