/*
 * What CPUID tells the guest: what the CPU says, with PT, VMX and SMX hidden and the guest's own state put in. Core.
 *
 * Source: SDM Vol. 2A, "CPUID - CPU Identification".
 */
#ifndef VMX_CPUID_POLICY_H
#define VMX_CPUID_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid_values {
    uint32_t eax, ebx, ecx, edx;
};

/* The guest's state that CPUID depends on and that root mode does not share. (XCR0, IA32_XSS, IA32_APIC_BASE and
 * IA32_MISC_ENABLE are shared: the CPU's own answer follows the guest.) */
struct cpuid_guest {
    uint64_t cr4; /* as the guest sees it */
    bool code64;  /* executes 64-bit code */
};

/* Where this CPU's leaves end. */
struct cpuid_limits {
    uint32_t max_basic;    /* CPUID.0:EAX */
    uint32_t max_extended; /* CPUID.80000000H:EAX */
    bool hypervisor;       /* CPUID.1:ECX[31]: below us is another, and leaves 4000_00xxH are its own */
};

/* The leaf that the CPU answers for: leaves beyond the last, and 4000_00xxH without a hypervisor, are answered as the
 * last basic one. */
uint32_t cpuid_effective_leaf(uint32_t leaf, struct cpuid_limits limits);

/* Does the answer to this leaf depend on struct cpuid_guest? Saves reading it for most leaves. */
bool cpuid_needs_guest(uint32_t leaf);

/* leaf: effective. real: what the CPU answered in root mode. guest: not looked at where cpuid_needs_guest says no. */
struct cpuid_values cpuid_policy_apply(uint32_t leaf, uint32_t subleaf, struct cpuid_values real,
                                       const struct cpuid_guest *guest);

#endif
