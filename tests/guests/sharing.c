/*
 * sharing: what the guest's own use of the performance-monitoring interrupt, of its counters and of NMIs must not
 * notice of a hypervisor that uses the same LVTPC for PT; in xAPIC mode, then in x2APIC mode. Meanwhile it writes much
 * trace, so that small regions fill all the time.
 *
 * Without any architectural performance monitoring there are no counters: what needs them is left out.
 *
 * Hardware guarantees that an NMI sent to oneself arrives, once, when the one before was taken.
 */
#include "machine.h"

#define LVTPC 0x340u
#define ICR 0x300u
#define ICR_NMI_SELF 0x4400u /* NMI, assert; the destination is our own ID */

#define IA32_APIC_BASE 0x1b
#define IA32_DEBUGCTL 0x1d9
#define IA32_FIXED_CTR0 0x309
#define IA32_FIXED_CTR_CTRL 0x38d
#define IA32_PERF_GLOBAL_STATUS 0x38e
#define IA32_PERF_GLOBAL_CTRL 0x38f
#define IA32_PERF_GLOBAL_STATUS_RESET 0x390
#define IA32_PEBS_ENABLE 0x3f1
#define IA32_DS_AREA 0x600
#define IA32_PMC0 0xc1
#define IA32_PERFEVTSEL0 0x186
#define IA32_XSS 0xda0

#define INSTRUCTIONS_WITH_PMI 0x5300c0 /* instructions retired, USR, OS, INT, EN */

#define TOPA_PMI (1ull << 55)
#define FROZEN (3ull << 58)
#define VECTOR 0x50
#define IMAGE 0x1000000u /* guest.ld */
#define IMAGE_BYTES 0x100000u

static volatile uint64_t nmis, interrupts, faults;
static bool x2apic;
static uint64_t failures;
static uint32_t state = 1;

static __attribute__((interrupt)) void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    nmis++;
}

static __attribute__((interrupt)) void on_pmi(struct interrupt_frame *frame)
{
    (void)frame;
    interrupts++;
    if (x2apic)
        msr_set(0x80b, 0);
    else
        interrupt_end();
}

/* WRMSR and RDMSR are two bytes long: resume after them. */
static __attribute__((interrupt)) void on_protection(struct interrupt_frame *frame, uint64_t error)
{
    (void)error;
    faults++;
    frame->rip += 2;
}

static void expect(const char *what, uint64_t is, uint64_t should)
{
    console_text("sharing: ");
    console_text(x2apic ? "x2apic " : "xapic ");
    console_text(what);
    console_line(is == should ? " is right," : " IS WRONG,", is);
    if (is == should)
        return;
    console_line("sharing: it should be", should);
    failures++;
}

static void lvtpc_set(uint32_t value)
{
    if (x2apic)
        msr_set(0x834, value);
    else
        APIC(LVTPC) = value;
}

static void nmi_send(void)
{
    if (x2apic) {
        msr_set(0x830, msr_get(0x802) << 32 | ICR_NMI_SELF);
    } else {
        APIC(0x310) = APIC(0x20);
        APIC(ICR) = ICR_NMI_SELF;
    }
}

/* Counter 0 overflows after some 1000 instructions, and is stopped: what of it has come. */
static void overflow(void)
{
    nmis = interrupts = 0;
    msr_set(IA32_PMC0, (uint32_t)-1000);
    msr_set(IA32_PERFEVTSEL0, INSTRUCTIONS_WITH_PMI);
    msr_set(IA32_PERF_GLOBAL_CTRL, 1);
    indirect_calls(&state, 5000);
    __asm__ volatile("sti; nop; nop; cli" : : : "memory");
    msr_set(IA32_PERF_GLOBAL_CTRL, 0);
    expect("overflows in IA32_PERF_GLOBAL_STATUS:", msr_get(IA32_PERF_GLOBAL_STATUS) & 1, 1);
}

static void counters(void)
{
    lvtpc_set(VECTOR);
    overflow();
    expect("interrupts by a fixed LVTPC:", interrupts, 1);
    expect("NMIs by it:", nmis, 0);
    if (x2apic)
        expect("LVTPC after it:", msr_get(0x834), 0x10000 | VECTOR);
    lvtpc_set(VECTOR);
    indirect_calls(&state, 20000);
    __asm__ volatile("sti; nop; nop; cli" : : : "memory");
    expect("interrupts of an old overflow, LVTPC open again:", interrupts, 1);
    nmi_send();
    indirect_calls(&state, 100);
    expect("NMIs from other sources than the counters:", nmis, 1);
    msr_set(IA32_PERF_GLOBAL_STATUS_RESET, 1);

    lvtpc_set(0x400);
    overflow();
    expect("NMIs by an NMI LVTPC:", nmis, 1);
    expect("interrupts by it:", interrupts, 0);
    msr_set(IA32_PERF_GLOBAL_STATUS_RESET, 1);

    /* An overflow without an interrupt is not the cause of a later NMI. */
    nmis = interrupts = 0;
    lvtpc_set(0x10000 | VECTOR);
    msr_set(IA32_PMC0, (uint32_t)-100);
    msr_set(IA32_PERFEVTSEL0, INSTRUCTIONS_WITH_PMI & ~(1u << 20));
    msr_set(IA32_PERF_GLOBAL_CTRL, 1);
    indirect_calls(&state, 500);
    msr_set(IA32_PERF_GLOBAL_CTRL, 0);
    nmi_send();
    indirect_calls(&state, 100);
    expect("NMIs after an overflow without an interrupt:", nmis, 1);
    msr_set(IA32_PERF_GLOBAL_STATUS_RESET, 1);

    lvtpc_set(0x10400);
    overflow();
    expect("NMIs by a masked LVTPC:", nmis, 0);
    msr_set(IA32_PERF_GLOBAL_STATUS_RESET, 1);
}

static uint64_t faults_of_write(uint32_t msr, uint64_t value)
{
    faults = 0;
    msr_set(msr, value);
    return faults;
}

/* Counter 0 with PEBS overflows a few instructions after the WRMSR that enables it, at each of some distances: all
 * records are the guest's own. Where there is no PEBS (IA32_MISC_ENABLE[12]) nothing is tried. */
static void sampling(void)
{
    static uint64_t area[32] __attribute__((aligned(64))), buffer[64 * 25];
    uint64_t foreign = 0, records = 0;

    if (msr_get(0x1a0) >> 12 & 1)
        return;
    area[4] = area[5] = (uint64_t)(uintptr_t)buffer;
    area[6] = area[7] = (uint64_t)(uintptr_t)(buffer + 64 * 25);
    area[8] = (1ull << 48) - 100000;
    msr_set(IA32_DS_AREA, (uint64_t)(uintptr_t)area);
    msr_set(IA32_PERFEVTSEL0, INSTRUCTIONS_WITH_PMI & ~(1u << 20));
    msr_set(IA32_PEBS_ENABLE, 1);
    for (uint32_t distance = 1; distance <= 40; distance++) {
        msr_set(IA32_PMC0, -distance);
        msr_set(IA32_PERF_GLOBAL_CTRL, 1);
        indirect_calls(&state, 50);
        msr_set(IA32_PERF_GLOBAL_CTRL, 0);
    }
    msr_set(IA32_PEBS_ENABLE, 0);
    records = (area[5] - area[4]) / 200;
    for (uint64_t i = 0; i < records; i++)
        foreign += buffer[25 * i + 1] - IMAGE >= IMAGE_BYTES;
    expect("PEBS records:", records, 40);
    expect("of which with an address that is not ours:", foreign, 0);
    expect("faults of IA32_PERF_GLOBAL_CTRL with reserved bits:",
           faults_of_write(IA32_PERF_GLOBAL_CTRL, 1ull << 16) + faults_of_write(IA32_PERF_GLOBAL_CTRL, 1ull << 40) +
               faults_of_write(IA32_PERF_GLOBAL_CTRL, 1ull << 48),
           3);
}

static void status(void)
{
    uint64_t seen = 0;
    for (int i = 0; i < 200; i++) {
        indirect_calls(&state, 50);
        seen |= msr_get(IA32_PERF_GLOBAL_STATUS);
        msr_set(IA32_PERF_GLOBAL_STATUS_RESET, ~0ull >> 1);
        indirect_calls(&state, 50);
        msr_set(IA32_PERF_GLOBAL_STATUS_RESET, TOPA_PMI);
    }
    expect("ToPA PMIs seen in IA32_PERF_GLOBAL_STATUS:", seen & TOPA_PMI, 0);
}

/* Freeze_Perfmon_On_PMI: the counter must run on as no counter overflows. */
static void freezing(void)
{
    uint64_t stopped = 0, frozen = 0, control = 0;
    msr_set(IA32_FIXED_CTR_CTRL, 3);
    msr_set(IA32_PERF_GLOBAL_CTRL, 1ull << 32);
    for (int i = 0; i < 200; i++) {
        msr_set(IA32_DEBUGCTL, 3 << 11); /* each time: the emulated CPU loads none of it at VM entry */
        uint64_t before = msr_get(IA32_FIXED_CTR0);
        indirect_calls(&state, 100);
        stopped += msr_get(IA32_FIXED_CTR0) - before < 100;
        frozen |= msr_get(IA32_PERF_GLOBAL_STATUS) & FROZEN;
        control += msr_get(IA32_PERF_GLOBAL_CTRL) != 1ull << 32;
    }
    expect("times that the counter was frozen:", stopped, 0);
    expect("freeze bits in IA32_PERF_GLOBAL_STATUS:", frozen, 0);
    expect("times that IA32_PERF_GLOBAL_CTRL had changed:", control, 0);
    msr_set(IA32_DEBUGCTL, 0);
    msr_set(IA32_PERF_GLOBAL_CTRL, 0);
}

/* Sent at any distance from a region's end. */
static void nmi_storm(void)
{
    uint64_t sent = 2000;
    nmis = 0;
    for (uint64_t i = 0; i < sent; i++) {
        nmi_send();
        indirect_calls(&state, random_next(&state) & 63);
    }
    indirect_calls(&state, 1000);
    expect("NMIs of 2000 sent:", nmis, sent);
}

static uint64_t faults_of_read(uint32_t msr)
{
    faults = 0;
    (void)msr_get(msr);
    return faults;
}

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *regs)
{
    __asm__ volatile("cpuid" : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3]) : "a"(leaf), "c"(subleaf));
}

static void hidden(void)
{
    static const uint32_t msrs[] = {0x560, 0x561, 0x570, 0x571, 0x572, 0x580, 0x581, 0x582, 0x583, 0x584, 0x587};
    uint32_t regs[4];
    uint64_t refused = 0;
    cpuid(7, 0, regs);
    expect("CPUID.7:EBX[25]:", regs[1] >> 25 & 1, 0);
    for (uint32_t subleaf = 0; subleaf < 2; subleaf++) {
        cpuid(0x14, subleaf, regs);
        expect("CPUID.14H:", regs[0] | regs[1] | regs[2] | regs[3], 0);
    }
    cpuid(0xd, 1, regs);
    expect("CPUID.(0DH,1):ECX[8]:", regs[2] >> 8 & 1, 0);
    uint32_t supervisor = regs[2], features = regs[0];
    cpuid(0xd, 8, regs);
    expect("CPUID.(0DH,8):", regs[0] | regs[1] | regs[2] | regs[3], 0);
    for (unsigned i = 0; i < sizeof msrs / sizeof msrs[0]; i++)
        refused += faults_of_read(msrs[i]) + faults_of_write(msrs[i], 0);
    expect("faults of IA32_RTIT_*:", refused, 2 * sizeof msrs / sizeof msrs[0]);
    expect("faults of IA32_XSS[8]:", faults_of_write(IA32_XSS, 1 << 8), 1);
    if (!(features & 8))
        return;
    msr_set(IA32_XSS, supervisor & ~(1u << 8));
    cpuid(0xd, 1, regs);
    uint32_t size = 576; /* legacy area and header; then each component, compacted */
    for (uint32_t n = 2; n < 32; n++) {
        uint32_t component[4];
        cpuid(0xd, n, component);
        if (supervisor >> n & 1)
            size = (component[2] & 2 ? (size + 63) & ~63u : size) + component[0];
    }
    expect("bytes of XSAVES' area with all of IA32_XSS:", regs[1], size);
    msr_set(IA32_XSS, 0);
}

static void all(void)
{
    uint32_t regs[4];
    hidden();
    cpuid(0xa, 0, regs);
    if ((regs[0] & 0xff) >= 2) {
        counters();
        sampling();
    }
    status();
    if ((regs[0] & 0xff) >= 2)
        freezing();
    nmi_storm();
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    interrupt_set(2, (void *)on_nmi, 0);
    interrupt_set(13, (void *)on_protection, 0);
    interrupt_set(VECTOR, (void *)on_pmi, 0);
    APIC(0xf0) = 0x1ff;
    all();
    msr_set(IA32_APIC_BASE, msr_get(IA32_APIC_BASE) | 0x400);
    x2apic = true;
    all();
    if (failures == 0)
        console_text("sharing: ok\r\n");
}
