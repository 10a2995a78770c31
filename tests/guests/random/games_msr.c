/* MSRs: reads and writes, most of them of those that VMX, PT or the hypervisor concern. */
#include "games.h"

#include "machine.h"

#define EFER 0xc0000080u
#define EFER_NXE 0x800u
#define XSS 0xda0u
#define XSS_HIDDEN (1ull << 8 | 1ull << 14) /* PT's and user interrupts' state (visible) */

/* May be written, and is put back. */
static const uint32_t weighed[] = {EFER,       0xc0000081, 0xc0000082, 0xc0000083,
                                   0xc0000084, 0xc0000100, 0xc0000101, 0xc0000102, /* EFER, STAR to GS */
                                   0x174,      0x175,      0x176,                  /* SYSENTER */
                                   0x277,      0x277,      0x2ff,      0x200,
                                   0x201,      0x20e,      0x20f,      0x250, /* PAT, MTRRs */
                                   0x258,      0x259,      0x268,      0x26f,
                                   0x1d9,      0x1a0,      0xfe,       0x179, /* DEBUGCTL, ... */
                                   XSS,        0x1d,       0x1cb,      0x984,
                                   0x40000000, 0x40000001, 0x4b564d00, 0x4b564d01, /* XSS, and what is not there */
                                   0xc0000103, 0x1fff,     0x2000,     0xc0001fff,
                                   0xc0002000, 0xbfffffff, 0x9c,       0x3f8};

/* Left out, and why. Both ends are included. */
static const struct {
    uint32_t first, last;
} excluded[] = {
    {0x10, 0x12},   /* IA32_TIME_STAMP_COUNTER counts; MSR_KVM_* */
    {0x1c, 0x1c},   /* IA32_USER_MSR_CTL: hidden (visible) */
    {0x9b, 0x9b},   /* IA32_SMM_MONITOR_CTL: the same */
    {0x1cc, 0x1d4}, /* IA32_FRED_*: the same */
    {0x985, 0x98a}, /* IA32_UINTR_*: the same */
    {0x17, 0x17},   /* IA32_PLATFORM_ID */
    {0x1b, 0x1b},   /* IA32_APIC_BASE: #GP where the hypervisor could not follow (visible); hostile.c has it */
    {0x3a, 0x3b},   /* IA32_FEATURE_CONTROL: VMX off and locked (visible); IA32_TSC_ADJUST counts with the TSC */
    {0x79, 0x79},   /* IA32_BIOS_UPDT_TRIG: ignored (visible) */
    {0x8b, 0x8b},   /* IA32_BIOS_SIGN_ID follows it */
    {0xc1, 0xc8},   /* IA32_PMC0 to 7 count */
    {0xe7, 0xe8},   /* IA32_MPERF, APERF count */
    {0x186, 0x18d}, /* IA32_PERFEVTSEL */
    {0x309, 0x30c}, /* IA32_FIXED_CTR count */
    {0x345, 0x345}, /* IA32_PERF_CAPABILITIES[16] (visible) */
    {0x38d, 0x391}, /* IA32_FIXED_CTR_CTRL to GLOBAL_STATUS_SET: [55] (visible) */
    {0x3f1, 0x3f1}, /* IA32_PEBS_ENABLE */
    {0x480, 0x493}, /* IA32_VMX_*: hidden (visible) */
    {0x4c1, 0x4c8}, /* IA32_A_PMC count */
    {0x560, 0x561}, /* IA32_RTIT_*: hidden (visible) */
    {0x570, 0x587}, /* the same */
    {0x600, 0x600}, /* IA32_DS_AREA */
    {0x6e0, 0x6e0}, /* IA32_TSC_DEADLINE: an interrupt */
    {0x800, 0x8ff}, /* x2APIC: its registers have games of their own */
};

static bool is_excluded(uint32_t msr)
{
    for (uint32_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++)
        if (msr >= excluded[i].first && msr <= excluded[i].last)
            return true;
    return false;
}

static uint32_t choose(void)
{
    const uint32_t some = weighed[below(sizeof weighed / sizeof weighed[0])];
    uint32_t msr;

    switch (below(8)) {
    case 0:
        msr = below(0x2000);
        break;
    case 1:
        msr = 0xc0000000u + below(0x2000);
        break;
    case 2:
        msr = (uint32_t)random64();
        break;
    case 3:
        msr = some ^ 1u << below(32);
        break;
    default:
        msr = some;
    }
    return is_excluded(msr) ? some : msr;
}

static uint64_t value_near(uint64_t old)
{
    switch (below(6)) {
    case 0:
        return random64();
    case 1:
        return 0;
    case 2:
        return random64() & 0x0707070707070707ull; /* PAT and MTRRs: types */
    case 3:
        return old ^ 1ull << below(64);
    case 4:
        return old ^ below(4096);
    default:
        return old ^ 1ull << below(12);
    }
}

static uint64_t read(uint32_t msr)
{
    random_state.r[RCX] = msr;
    return PLAY(true, 0x0f, 0x32); /* RDMSR */
}

static void write(uint32_t msr, uint64_t value)
{
    random_state.r[RCX] = msr;
    random_state.r[RAX] = (uint32_t)value;
    random_state.r[RDX] = value >> 32;
    PLAY(false, 0x0f, 0x30); /* WRMSR */
}

/* NXE stays set: without it the guest's own pages have a reserved bit. */
static uint64_t what_may_be_written(uint32_t msr, uint64_t value)
{
    if (msr == XSS)
        return value & ~XSS_HIDDEN;
    return msr == EFER ? value | EFER_NXE : value;
}

void game_msr(void)
{
    const uint32_t msr = choose();

    games_add(" msr ", msr);
    const bool exists = read(msr) == VECTOR_END;
    const uint64_t old = exists ? random_state.r[RDX] << 32 | random_state.r[RAX] : 0;
    const uint64_t value = what_may_be_written(msr, value_near(old));

    if (below(3) == 0)
        return;
    games_add(" write ", value);
    write(msr, value);
    game_cpl = 0;
    if (read(msr) != VECTOR_END)
        return;
    if (exists)
        write(msr, old);
}
