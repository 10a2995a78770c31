/*
 * What keeps a guest that is not trusted from reading root's data by speculative execution: which measures this CPU
 * needs and has. Core, private to vmx/.
 *
 * Source: Intel's guidance for "L1 Terminal Fault", "Microarchitectural Data Sampling", "Processor MMIO Stale Data",
 * "Indirect Branch Restricted Speculation" and "Post-barrier Return Stack Buffer Predictions"; SDM Vol. 2A "CPUID",
 * leaf 07H; Vol. 4: IA32_SPEC_CTRL, IA32_ARCH_CAPABILITIES, IA32_FLUSH_CMD.
 */
#ifndef VMX_CPU_MEASURES_H
#define VMX_CPU_MEASURES_H

#include <stdint.h>

#include "vmx/cpu/offsets.h"

/* What the CPU enumerates. */
struct mitigation_caps {
    uint32_t cpuid_7_edx;       /* CPUID.(EAX=7,ECX=0):EDX; 0: there is no such leaf */
    uint64_t arch_capabilities; /* IA32_ARCH_CAPABILITIES; 0: it does not exist */
};

/* CPUID.(EAX=7,ECX=0):EDX */
#define CPUID_7_EDX_MD_CLEAR (1u << 10)
#define CPUID_7_EDX_IBRS (1u << 26)
#define CPUID_7_EDX_L1D_FLUSH (1u << 28)

/* The measures of a CPU: MEASURE_* of vmx/cpu/offsets.h. missing: those that it needs as well, but that its microcode
 * does not have. The return stack buffer needs nothing from the CPU: MEASURE_RSB is always among them. */
uint16_t measures_of(const struct mitigation_caps *caps, uint16_t *missing);

#endif
