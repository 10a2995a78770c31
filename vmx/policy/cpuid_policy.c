/* Kind: core, hot */
#include "vmx/policy/cpuid_policy.h"

#include "base/control.h"

#define LEAF1_ECX_OSXSAVE (1u << 27)
#define LEAF7_ECX_OSPKE (1u << 4)
#define LEAF7_MAX_SUBLEAF 2u
#define LEAF_19_EBX_AESKLE (1u << 0)
#define LEAF_80000001_EDX_SYSCALL (1u << 11)

#define LEAF_FEATURES 1u
#define LEAF_EXTENDED_FEATURES 7u
#define LEAF_EXTENDED_STATE 0xdu
#define LEAF_INTEL_PT 0x14u
#define LEAF_KEY_LOCKER 0x19u
#define LEAF_BASIC_LAST 0x29u
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_EXTENDED_FIRST 0x80000000u
#define LEAF_EXTENDED 0x80000001u
#define LEAF_EXTENDED_LAST 0x80000008u

#define BIT(n) (1u << (n))
#define BITS(high, low) ((~0u >> (31 - (high))) & ~0u << (low))

/* State components. Hidden: PT's and the user interrupts'. */
#define XCR0_COMPONENTS (BITS(7, 0) | BIT(9) | BITS(19, 17))
#define XSS_COMPONENTS (BIT(8) | BITS(16, 10))
#define XSS_HIDDEN (BIT(8) | BIT(14))

/* clang-format off */
/*
 * The registers that say which features there are. A bit passes if the manual defines it and VMX needs no work for it,
 * or the work is done. All other bits read as 0: a future feature may need work. Some features that pass, and why:
 *
 *   RDTSCP, INVPCID, XSAVES, WAITPKG, PCONFIG     the controls that enable them are set (vmx/caps.c)
 *   architectural LBRs                            so are those that load and clear IA32_LBR_CTL
 *   CET, PKS, MPX, AMX and XFD, AVX10, PASIDs     root mode does not use their registers
 *   LAM, PCID                                     their bits of CR3 do not name the space (vmx/guest/memory.c)
 *   LA57                                          five levels of tables (vmx/guest/walk.c)
 *   WRMSRNS                                       exits as WRMSR does
 *   LKGS, HRESET, LASS                            do not exit, and change no register of root mode
 *
 * leaf, sub-leaf, register, the bits that the manual defines, those of them that are hidden
 */
const struct cpuid_row cpuid_rows[] = {
    /* VISIBLE: VMX and SMX are in use by root mode */
    {0x1, 0, CPUID_ECX, ~BIT(16), BIT(5) | BIT(6)},
    {0x1, 0, CPUID_EDX, ~(BIT(10) | BIT(20)), 0},
    /* VISIBLE: PT is in use by root mode */
    {0x7, 0, CPUID_EBX, ~BIT(22), BIT(25)},
    {0x7, 0, CPUID_ECX, ~(BIT(15) | BIT(26)), 0},
    /* VISIBLE: user interrupts (5): VM entries and exits would have to switch UINV */
    {0x7, 0, CPUID_EDX, BITS(5, 1) | BITS(11, 8) | BITS(16, 13) | BITS(20, 18) | BITS(31, 22), BIT(5)},
    /* VISIBLE: FRED (17): events are injected by the rules of the IDT. NMI-source reporting (20) needs it. RDMSRLIST and
     * WRMSRLIST (27) are #UD without a tertiary control */
    {0x7, 1, CPUID_EAX, BITS(8, 0) | BITS(12, 10) | BITS(23, 17) | BIT(26) | BIT(27) | BIT(30) | BIT(31),
     BIT(17) | BIT(20) | BIT(27)},
    /* VISIBLE: total storage encryption (1): PBNDKB has exits of its own */
    {0x7, 1, CPUID_EBX, BIT(0) | BIT(1) | BIT(3), BIT(1)},
    /* VISIBLE: RDMSR and WRMSRNS with an immediate (5) have exits of their own */
    {0x7, 1, CPUID_ECX, BIT(5), BIT(5)},
    /* VISIBLE: the user timer (13); URDMSR and UWRMSR (15), which have exits of their own; UIRET's UIF (17) */
    {0x7, 1, CPUID_EDX, BITS(5, 4) | BIT(8) | BIT(10) | BITS(15, 13) | BITS(19, 17) | BIT(21) | BIT(23),
     BIT(13) | BIT(15) | BIT(17)},
    {0x7, 2, CPUID_EAX, 0, 0},
    {0x7, 2, CPUID_EBX, 0, 0},
    {0x7, 2, CPUID_ECX, 0, 0},
    {0x7, 2, CPUID_EDX, BITS(7, 0), 0},
    /* EBX and ECX are sizes */
    {0xd, 0, CPUID_EAX, XCR0_COMPONENTS, 0},
    {0xd, 0, CPUID_EDX, 0, 0},
    {0xd, 1, CPUID_EAX, BITS(4, 0), 0},
    /* VISIBLE: the state of PT and of user interrupts */
    {0xd, 1, CPUID_ECX, XSS_COMPONENTS, XSS_HIDDEN},
    {0xd, 1, CPUID_EDX, 0, 0},
    {0x80000001, 0, CPUID_ECX, BITS(1, 0) | BIT(5) | BIT(8), 0},
    {0x80000001, 0, CPUID_EDX, BIT(11) | BIT(20) | BIT(26) | BIT(27) | BIT(29), 0},
};
/* clang-format on */
const size_t cpuid_nr_rows = sizeof(cpuid_rows) / sizeof(cpuid_rows[0]);

/* Leaves without rows describe caches, topology, frequencies and the like: they pass if the manual defines them.
 * VISIBLE: the others are 0. */
static bool leaf_is_defined(uint32_t leaf)
{
    const uint64_t reserved = 1ull << 0x8 | 1ull << 0xc | 1ull << 0xe | 1ull << 0x11 | 1ull << 0x13 | 1ull << 0x22 |
                              1ull << 0x25 | 1ull << 0x26;

    if (leaf >= LEAF_HYPERVISOR)
        return leaf < LEAF_EXTENDED_FIRST || leaf <= LEAF_EXTENDED_LAST;
    return leaf <= LEAF_BASIC_LAST && !(reserved >> leaf & 1);
}

static bool component_is_shown(uint32_t component)
{
    return component < 32 && ((XCR0_COMPONENTS | (XSS_COMPONENTS & ~XSS_HIDDEN)) >> component & 1);
}

static bool subleaf_is_shown(uint32_t leaf, uint32_t subleaf)
{
    if (leaf == LEAF_EXTENDED_FEATURES)
        return subleaf <= LEAF7_MAX_SUBLEAF;
    if (leaf == LEAF_EXTENDED_STATE)
        return subleaf < 2 || component_is_shown(subleaf);
    return leaf != LEAF_INTEL_PT;
}

uint32_t cpuid_effective_leaf(uint32_t leaf, struct cpuid_limits limits)
{
    if (leaf <= limits.max_basic)
        return leaf;
    if (leaf >= LEAF_EXTENDED_FIRST && leaf <= limits.max_extended)
        return leaf;
    if (limits.hypervisor && leaf >= LEAF_HYPERVISOR && leaf < 0x50000000u)
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

static bool leaf_has_rows(uint32_t leaf)
{
    return leaf == LEAF_FEATURES || leaf == LEAF_EXTENDED_FEATURES || leaf == LEAF_EXTENDED_STATE ||
           leaf == LEAF_EXTENDED;
}

/* Of a leaf that has rows, which are adjacent: guests execute CPUID often. */
static void rows_apply(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
    const bool has_subleaves = leaf == LEAF_EXTENDED_FEATURES || leaf == LEAF_EXTENDED_STATE;

    const struct cpuid_row *row = cpuid_rows;

    while (row->leaf != leaf)
        row++;
    for (; row != cpuid_rows + cpuid_nr_rows && row->leaf == leaf; row++)
        if (row->subleaf == subleaf || !has_subleaves)
            registers[row->reg] &= row->defined & ~row->hidden;
}

static void guest_apply(uint32_t leaf, uint32_t subleaf, struct cpuid_values *v, const struct cpuid_guest *guest)
{
    switch (leaf) {
    case LEAF_FEATURES:
        v->ecx = follow(v->ecx, LEAF1_ECX_OSXSAVE, guest->cr4 & CR4_OSXSAVE);
        break;
    case LEAF_EXTENDED_FEATURES:
        if (subleaf != 0)
            break;
        v->eax = v->eax < LEAF7_MAX_SUBLEAF ? v->eax : LEAF7_MAX_SUBLEAF;
        v->ecx = follow(v->ecx, LEAF7_ECX_OSPKE, guest->cr4 & CR4_PKE);
        break;
    case LEAF_KEY_LOCKER: /* root has CR4.KL set, so that the result has what firmware has enabled */
        if (!(guest->cr4 & CR4_KL))
            v->ebx &= ~LEAF_19_EBX_AESKLE;
        break;
    case LEAF_EXTENDED:
        /* SYSCALL is shown only in 64-bit mode; root mode is in 64-bit mode, the guest may not be. */
        if (!guest->code64)
            v->edx &= ~LEAF_80000001_EDX_SYSCALL;
        break;
    }
}

struct cpuid_values cpuid_policy_apply(uint32_t leaf, uint32_t subleaf, struct cpuid_values real,
                                       const struct cpuid_guest *guest)
{
    uint32_t registers[] = {
        [CPUID_EAX] = real.eax, [CPUID_EBX] = real.ebx, [CPUID_ECX] = real.ecx, [CPUID_EDX] = real.edx};

    if (!leaf_is_defined(leaf) || !subleaf_is_shown(leaf, subleaf))
        return (struct cpuid_values){0};
    if (leaf_has_rows(leaf))
        rows_apply(leaf, subleaf, registers);
    struct cpuid_values v = {.eax = registers[CPUID_EAX],
                             .ebx = registers[CPUID_EBX],
                             .ecx = registers[CPUID_ECX],
                             .edx = registers[CPUID_EDX]};
    guest_apply(leaf, subleaf, &v, guest);
    return v;
}
