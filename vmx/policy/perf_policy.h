/*
 * Which values IA32_PERF_GLOBAL_CTRL accepts on this CPU. Core.
 *
 * A guest's value is never written in root mode to have the CPU check it: the guest's counters would run there, and
 * with the guest's IA32_PEBS_ENABLE a record goes to the guest's linear address in IA32_DS_AREA by root's paging
 * structures.
 *
 * Source: SDM Vol. 2A "CPUID - CPU Identification", leaf 0AH; Vol. 3B "Architectural Performance Monitoring Version 2",
 * "... Version 5"; Vol. 4: IA32_PERF_CAPABILITIES, IA32_PERF_GLOBAL_CTRL.
 */
#ifndef VMX_POLICY_PERF_POLICY_H
#define VMX_POLICY_PERF_POLICY_H

#include <stdint.h>

#define PERF_CAPABILITIES_METRICS (1ull << 15) /* PERF_METRICS_AVAILABLE */

/* How this CPU enumerates its counters; the CPUs of a hybrid machine differ. */
struct perf_unit {
    uint32_t cpuid_a_eax, cpuid_a_ecx, cpuid_a_edx;
    uint64_t capabilities; /* IA32_PERF_CAPABILITIES; 0: it does not exist (CPUID.1:ECX[15] is 0) */
};

/* The bits that are not reserved: a WRMSR that sets another one is #GP, and so does a VM entry fail. */
uint64_t perf_global_ctrl_bits(const struct perf_unit *unit);

#endif
