/*
 * Which MSRs the guest does not reach directly, and what happens instead. Core.
 *
 * One table, a row per MSR or run of MSRs: the MSR bitmap, the dispatch of exits and the tests all come from it. What
 * no row names is the guest's own. Source: SDM Vol. 4, "Model-Specific Registers (MSRs)"; "MSR-Bitmap Address".
 */
#ifndef VMX_MSR_POLICY_H
#define VMX_MSR_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/msr_numbers.h"

/* "Trace_ToPA_PMI" of IA32_PERF_GLOBAL_STATUS and its RESET and SET. */
#define PERF_GLOBAL_STATUS_TOPA_PMI (1ull << 55)
#define PERF_CAPABILITIES_PEBS_OUTPUT_PT (1ull << 16)
#define XSS_PT_STATE (1ull << 8)

enum msr_action {
    MSR_NATIVE = 0,          /* the CPU's own, a fault becoming the guest's */
    MSR_FAULT,               /* #GP, as where the MSR does not exist */
    MSR_FEATURE_CONTROL_OFF, /* read: locked with VMX and SMX off */
    MSR_MASK,                /* the row's mask of bits reads as 0 and is written as 0 */
    MSR_PERF_RESET,          /* written: as MSR_MASK, and what is reset may be delivered again */
    MSR_FORGET,              /* written: nothing happens */
    MSR_REFUSE,              /* written: #GP where a bit of the row's mask is set */
    MSR_APIC_BASE,           /* written: the guard of the local APIC follows */
    MSR_ICR,                 /* written: an INIT is noted */
    MSR_LVT_PMI,             /* the guest's own value is kept, the register stays ours */
    MSR_SVR,                 /* written: the local APIC stays software-enabled */
    MSR_MTRR,                /* written: EPT memory types follow */
    MSR_PERF_GLOBAL_CTRL     /* written: also what the next VM entry loads */
};

/* Where a row holds. */
#define MSR_ALWAYS 0u
#define MSR_IF_PT 1u        /* PT is in use */
#define MSR_IF_PERF_CTRL 2u /* VM entry loads IA32_PERF_GLOBAL_CTRL and VM exit does not save it */
#define MSR_IF_LAPIC 4u     /* the local APIC is guarded */
#define MSR_IF_IPIS 8u      /* ... for the IPIs that the guest sends */

struct msr_row {
    uint32_t first, last;
    enum msr_action read, write;
    uint32_t condition;
    uint64_t mask;
    const char *name;
};

/* Rows in ascending order without overlap. */
extern const struct msr_row msr_policy[];
extern const size_t msr_policy_nr_rows;

/* The row for an MSR among those whose condition is met (conditions: MSR_IF_* that hold), or NULL. */
const struct msr_row *msr_policy_find(uint32_t msr, uint32_t conditions);

/* Fill in the 4096 bytes of an MSR bitmap: a bit is set where reading or writing must exit. */
#define MSR_BITMAP_SIZE 4096u
void msr_policy_bitmap(uint8_t bitmap[MSR_BITMAP_SIZE], uint32_t conditions);

#endif
