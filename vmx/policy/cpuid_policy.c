/* Kind: core, hot */
#include "vmx/policy/cpuid_policy.h"

#include "base/control.h"

#define LEAF1_ECX_VMX (1u << 5)
#define LEAF1_ECX_SMX (1u << 6)
#define LEAF1_ECX_OSXSAVE (1u << 27)
#define LEAF7_EBX_INTEL_PT (1u << 25)
#define LEAF7_ECX_OSPKE (1u << 4)
#define LEAF_D_1_ECX_PT_STATE (1u << 8)
#define LEAF_D_PT_STATE 8u
#define LEAF_19_EBX_AESKLE (1u << 0)
#define LEAF_80000001_EDX_SYSCALL (1u << 11)

#define LEAF_FEATURES 1u
#define LEAF_EXTENDED_FEATURES 7u
#define LEAF_EXTENDED_STATE 0xdu
#define LEAF_INTEL_PT 0x14u
#define LEAF_KEY_LOCKER 0x19u
#define LEAF_EXTENDED 0x80000001u

uint32_t cpuid_effective_leaf(uint32_t leaf, struct cpuid_limits limits)
{
    if (leaf <= limits.max_basic)
        return leaf;
    if (leaf >= 0x80000000u && leaf <= limits.max_extended)
        return leaf;
    if (limits.hypervisor && leaf >= 0x40000000u && leaf < 0x50000000u)
        return leaf;
    return limits.max_basic;
}

bool cpuid_needs_guest(uint32_t leaf)
{
    return leaf == LEAF_FEATURES || leaf == LEAF_EXTENDED_FEATURES || leaf == LEAF_KEY_LOCKER || leaf == LEAF_EXTENDED;
}

static uint32_t follow(uint32_t word, uint32_t bit, bool value)
{
    return value ? word | bit : word & ~bit;
}

struct cpuid_values cpuid_policy_apply(uint32_t leaf, uint32_t subleaf, struct cpuid_values real,
                                       const struct cpuid_guest *guest)
{
    struct cpuid_values v = real;

    switch (leaf) {
    case LEAF_FEATURES:
        v.ecx &= ~(LEAF1_ECX_VMX | LEAF1_ECX_SMX); /* VISIBLE: VMX and SMX are in use by root */
        v.ecx = follow(v.ecx, LEAF1_ECX_OSXSAVE, guest->cr4 & CR4_OSXSAVE);
        break;
    case LEAF_EXTENDED_FEATURES:
        if (subleaf != 0)
            break;
        v.ebx &= ~LEAF7_EBX_INTEL_PT; /* VISIBLE: PT is in use by root */
        v.ecx = follow(v.ecx, LEAF7_ECX_OSPKE, guest->cr4 & CR4_PKE);
        break;
    case LEAF_EXTENDED_STATE:
        if (subleaf == 1)
            v.ecx &= ~LEAF_D_1_ECX_PT_STATE;
        if (subleaf == LEAF_D_PT_STATE)
            v = (struct cpuid_values){0};
        break;
    case LEAF_INTEL_PT:
        v = (struct cpuid_values){0};
        break;
    case LEAF_KEY_LOCKER: /* root has CR4.KL set, so that the result has what firmware has enabled */
        if (!(guest->cr4 & CR4_KL))
            v.ebx &= ~LEAF_19_EBX_AESKLE;
        break;
    case LEAF_EXTENDED:
        /* SYSCALL is shown only in 64-bit mode; root mode is in 64-bit mode, the guest may not be. */
        if (!guest->code64)
            v.edx &= ~LEAF_80000001_EDX_SYSCALL;
        break;
    }
    return v;
}
