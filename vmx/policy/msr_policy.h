/*
 * Which MSRs the guest does not access directly, and what happens instead. Core.
 *
 * One table, with a row for each MSR or range of MSRs: the MSR bitmap, the dispatch of exits and the tests all use it.
 * The guest accesses MSRs without a row directly. Source: SDM Vol. 4, "Model-Specific Registers (MSRs)"; "MSR-Bitmap
 * Address".
 */
#ifndef VMX_POLICY_MSR_POLICY_H
#define VMX_POLICY_MSR_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/msr_numbers.h"

/* "Trace_ToPA_PMI" of IA32_PERF_GLOBAL_STATUS and its RESET and SET. */
#define PERF_GLOBAL_STATUS_TOPA_PMI (1ull << 55)
#define PERF_CAPABILITIES_PEBS_OUTPUT_PT (1ull << 16)
#define XSS_PT_STATE (1ull << 8)
#define XSS_UINTR_STATE (1ull << 14)

enum msr_action {
    MSR_NATIVE = 0,          /* access the CPU's MSR; if that faults, so does the guest */
    MSR_FAULT,               /* #GP, as for an MSR that does not exist */
    MSR_FEATURE_CONTROL_OFF, /* read: locked, with VMX and SMX disabled */
    MSR_MASK,                /* the bits in the row's mask are read and written as 0 */
    MSR_PERF_RESET,          /* write: as MSR_MASK; PMIs of the bits that are reset may be delivered again */
    MSR_FORGET,              /* write: ignored */
    MSR_REFUSE,              /* write: #GP if a bit of the row's mask is set */
    MSR_TSC,                 /* write: record by how much the TSC moves */
    MSR_APIC_BASE,           /* write: check the address; move the guard of the local APIC */
    MSR_SHARED_PAGE,         /* write: #GP if the row's mask has the address of root's own memory */
    MSR_ICR,                 /* write: record an INIT */
    MSR_LVT_PMI,             /* access the guest's value; the register remains ours */
    MSR_SVR,                 /* write: the local APIC stays software-enabled */
    MSR_MTRR,                /* write: update the EPT's memory types */
    MSR_PERF_GLOBAL_CTRL     /* write: also the value that the next VM entry loads */
};

/* When a row applies. */
#define MSR_ALWAYS 0u
#define MSR_IF_PT 1u        /* PT is in use */
#define MSR_IF_PERF_CTRL 2u /* VM entry loads IA32_PERF_GLOBAL_CTRL and VM exit does not save it */
#define MSR_IF_IPIS 4u      /* the local APIC is guarded for the IPIs that the guest sends */

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

/* The row of an MSR, among those that apply under these conditions (MSR_IF_*); NULL: none. */
const struct msr_row *msr_policy_find(uint32_t msr, uint32_t conditions);

/* Fill in the 4096 bytes of an MSR bitmap: a set bit makes RDMSR or WRMSR exit. */
#define MSR_BITMAP_SIZE 4096u
void msr_policy_bitmap(uint8_t bitmap[MSR_BITMAP_SIZE], uint32_t conditions);

#endif
