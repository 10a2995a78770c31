/*
 * What CPUID returns to the guest: the CPU's result, with the features hidden that VMX would need more work for, and
 * the guest's own state inserted. Core.
 *
 * Source: SDM Vol. 2A, "CPUID - CPU Identification".
 */
#ifndef VMX_POLICY_CPUID_POLICY_H
#define VMX_POLICY_CPUID_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cpuid_register { CPUID_EAX, CPUID_EBX, CPUID_ECX, CPUID_EDX };

/* A register of feature bits: of those that the manual defines, the guest sees all that are not hidden. */
struct cpuid_row {
    uint32_t leaf;
    uint8_t subleaf, reg; /* enum cpuid_register */
    uint32_t defined, hidden;
};
extern const struct cpuid_row cpuid_rows[];
extern const size_t cpuid_nr_rows;

struct cpuid_values {
    uint32_t eax, ebx, ecx, edx;
};

/* The guest's state on which CPUID depends and which differs in root mode. (XCR0, IA32_XSS, IA32_APIC_BASE and
 * IA32_MISC_ENABLE do not: the CPU's own result is right.) */
struct cpuid_guest {
    uint64_t cr4; /* as the guest sees it */
    bool code64;  /* the guest executes 64-bit code */
};

/* This CPU's highest leaves. */
struct cpuid_limits {
    uint32_t max_basic;    /* CPUID.0:EAX */
    uint32_t max_extended; /* CPUID.80000000H:EAX */
    bool hypervisor;       /* CPUID.1:ECX[31]: there is another one below us, and leaves 4000_00xxH are its */
};

/* The leaf that the CPU returns: for leaves above the highest, and for 4000_00xxH without a hypervisor, it returns the
 * highest basic leaf. */
uint32_t cpuid_effective_leaf(uint32_t leaf, struct cpuid_limits limits);

/* Does this leaf depend on struct cpuid_guest? Most do not, so that it need not be read. */
bool cpuid_needs_guest(uint32_t leaf);

/* What the guest gets. leaf: effective. real: the result in root mode. guest: ignored unless cpuid_needs_guest. */
struct cpuid_values cpuid_policy_apply(uint32_t leaf, uint32_t subleaf, struct cpuid_values real,
                                       const struct cpuid_guest *guest);

#endif
