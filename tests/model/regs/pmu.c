/*
 * The performance-monitoring unit: what CPUID says is there, counting, overflows, and the freezes of IA32_DEBUGCTL on a
 * ToPA PMI and on a counter's.
 *
 * PEBS: where a record is written, and the DS buffer's threshold.
 *
 * Source: SDM Vol. 3B "Architectural Performance Monitoring" (18.2), "Freezing LBR and Performance Counters on PMI"
 * (17.4.7); Vol. 3C "ToPA PMI" (36.2.6.2): they "will be applied on ToPA PMI just as on other PMIs".
 */
#include "regs.h"

#define INT (1ull << 2)
#define END 1ull
#define LVT_NMI 0x400u
#define DEBUGCTL_FREEZE_LBRS (1ull << 11)
#define DEBUGCTL_FREEZE_PERFMON (1ull << 12)
#define LBR_FRZ (1ull << 58)
#define CTR_FRZ (1ull << 59)
#define GLOBAL_BITS 0x70000000full
#define INSTRUCTIONS 0x4300c0u /* EN, OS, USR; event C0H, instructions retired */
#define EVTSEL_INT 0x100000u
#define FIXED_COUNTS 3u
#define FIXED_PMI 8u
#define LVT_MASKED 0x10000u

enum {
    MSR_PMC0 = 0xc1,
    MSR_PERFEVTSEL0 = 0x186,
    MSR_DEBUGCTL = 0x1d9,
    MSR_FIXED_CTR0 = 0x309,
    MSR_FIXED_CTR_CTRL = 0x38d,
    MSR_PERF_GLOBAL_CTRL = 0x38f,
    MSR_PERF_GLOBAL_INUSE = 0x392,
    MSR_PEBS_ENABLE = 0x3f1,
    MSR_DS_AREA = 0x600
};

struct interrupt_frame;
static volatile uint64_t seen_status, seen_ctrl;
static volatile uint32_t nmis;

__attribute__((interrupt)) static void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    nmis++;
    wrmsr(MSR_RTIT_CTL, 0);
    seen_status = rdmsr(MSR_IA32_PERF_GLOBAL_STATUS);
    seen_ctrl = rdmsr(MSR_PERF_GLOBAL_CTRL);
}

static uint64_t rdpmc(uint32_t selector)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(selector));
    return (uint64_t)high << 32 | low;
}

static void there(void)
{
    uint32_t words[4];
    cpuid(10, 0, words);
    check_equal("CPUID.0AH: version", words[0] & 0xff, VERSION);
    check_equal("CPUID.0AH: counters", words[0] >> 8 & 0xff, 4);
    check_equal("CPUID.0AH: fixed counters", words[3] & 0x1f, 3);
    check("reserved bits of IA32_PERF_GLOBAL_CTRL", wrmsr_faults(MSR_PERF_GLOBAL_CTRL, 0x10));
    check("IA32_PERF_GLOBAL_STATUS is read-only", wrmsr_faults(MSR_IA32_PERF_GLOBAL_STATUS, 0));
    check("IA32_PERF_GLOBAL_INUSE from version 4 on", rdmsr_faults(MSR_PERF_GLOBAL_INUSE) == (VERSION < 4));
    wrmsr(MSR_PMC0, 0xfffffff0);
    check_equal("a counter is written with sign", rdmsr(MSR_PMC0), 0xfffffffffff0);
}

static void counting(void)
{
    wrmsr(MSR_PMC0, 0);
    wrmsr(MSR_PERFEVTSEL0, INSTRUCTIONS);
    wrmsr(MSR_FIXED_CTR0, 0);
    wrmsr(MSR_FIXED_CTR_CTRL, 3);
    __asm__ volatile("nop; nop; nop");
    check_equal("no global enable, no counting", rdmsr(MSR_PMC0) + rdmsr(MSR_FIXED_CTR0), 0);
    wrmsr(MSR_PERF_GLOBAL_CTRL, GLOBAL_BITS);
    uint64_t before = rdmsr(MSR_PMC0);
    __asm__ volatile(".rept 100\n nop\n .endr");
    uint64_t counted = rdmsr(MSR_PMC0) - before;
    check_n("instructions are counted:", counted, counted >= 100 && counted < 120);
    check("the fixed counter counts them as well", rdmsr(MSR_FIXED_CTR0) >= 100);
    check("RDPMC", rdpmc(0) > before && rdpmc(1u << 30) >= 100);
}

/* A ToPA PMI with these bits in IA32_DEBUGCTL. */
static void run(uint64_t debugctl)
{
    pt_reset();
    wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, ~0ull);
    wrmsr(MSR_PERF_GLOBAL_CTRL, GLOBAL_BITS);
    wrmsr(MSR_DEBUGCTL, debugctl);
    check_equal("IA32_DEBUGCTL", rdmsr(MSR_DEBUGCTL), debugctl);
    qwords(TABLE)[0] = REGION | INT;
    qwords(TABLE)[1] = REGION + 0x1000;
    qwords(TABLE)[2] = TABLE | END;
    *apic(0x340) = LVT_NMI;
    nmis = 0;
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(0x1400);
    check_equal("one PMI", nmis, 1);
    wrmsr(MSR_DEBUGCTL, 0);
}

static bool counts(void)
{
    uint64_t before = rdmsr(MSR_PMC0);
    return rdmsr(MSR_PMC0) != before;
}

static void freezes(void)
{
    run(0);
    check_equal("no freeze enabled: none", seen_status, PERF_GLOBAL_TOPA_PMI);
    check("and the counters continue", counts());
    run(DEBUGCTL_FREEZE_PERFMON);
    if (VERSION >= 4) {
        check_equal("Freeze_PerfMon_On_PMI: CTR_Frz", seen_status, PERF_GLOBAL_TOPA_PMI | CTR_FRZ);
        check_equal("Freeze_PerfMon_On_PMI: the enables stay", seen_ctrl, GLOBAL_BITS);
        check("Freeze_PerfMon_On_PMI: the counters are frozen", !counts());
        wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, CTR_FRZ);
        check("until CTR_Frz is reset", counts());
    } else {
        check_equal("Freeze_PerfMon_On_PMI: no new status", seen_status, PERF_GLOBAL_TOPA_PMI);
        check_equal("Freeze_PerfMon_On_PMI: the enables are cleared", seen_ctrl, 0);
        check("Freeze_PerfMon_On_PMI: the counters are frozen", !counts());
        wrmsr(MSR_PERF_GLOBAL_CTRL, GLOBAL_BITS);
        check("until they are enabled again", counts());
    }
    run(DEBUGCTL_FREEZE_LBRS);
    check_equal("Freeze_LBRs_On_PMI: LBR_Frz from version 4 on", seen_status & (LBR_FRZ | CTR_FRZ),
                VERSION >= 4 ? LBR_FRZ : 0);
    check("PT continues: the handler had to stop it", (rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) & 0xffffff80) == 0x80);
}

/* Counter 0 overflows after some 200 instructions, fixed counter 0 after some 300; select and fixed enable them. */
static void overflow(uint32_t select, uint32_t fixed, uint64_t debugctl)
{
    wrmsr(MSR_PERF_GLOBAL_CTRL, 0);
    wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, ~0ull);
    *apic(0x340) = LVT_NMI;
    nmis = 0;
    wrmsr(MSR_PMC0, (uint32_t)-200);
    wrmsr(MSR_PERFEVTSEL0, select);
    wrmsr(MSR_FIXED_CTR0, (1ull << 48) - 300);
    wrmsr(MSR_FIXED_CTR_CTRL, fixed);
    wrmsr(MSR_DEBUGCTL, debugctl);
    wrmsr(MSR_PERF_GLOBAL_CTRL, GLOBAL_BITS);
    __asm__ volatile(".rept 2000\n nop\n .endr");
    wrmsr(MSR_DEBUGCTL, 0);
}

static void overflows(void)
{
    overflow(INSTRUCTIONS, 0, 0);
    check_equal("an overflow without INT is no PMI", nmis, 0);
    check_equal("but sets its status bit", rdmsr(MSR_IA32_PERF_GLOBAL_STATUS), 1);
    overflow(INSTRUCTIONS | EVTSEL_INT, 0, 0);
    check_equal("one with INT is one", nmis, 1);
    check_equal("by its status", seen_status, 1);
    check_equal("and LVTPC is masked", *apic(0x340), LVT_MASKED | LVT_NMI);
    check("the counter continues", counts());
    overflow(0, FIXED_COUNTS | FIXED_PMI, 0);
    check_equal("a fixed counter's", nmis, 1);
    check_equal("by its status", seen_status, 1ull << 32);
    overflow(INSTRUCTIONS | EVTSEL_INT, FIXED_COUNTS | FIXED_PMI, 0);
    check_equal("two, the second where LVTPC is masked", nmis, 1);
    check_equal("both in the status", rdmsr(MSR_IA32_PERF_GLOBAL_STATUS), 1ull << 32 | 1);
    overflow(INSTRUCTIONS | EVTSEL_INT, 0, DEBUGCTL_FREEZE_PERFMON);
    check_equal("Freeze_PerfMon_On_PMI at an overflow", nmis, 1);
    check("the counters are frozen", !counts() && rdmsr(MSR_PMC0) < 200);
    check_equal("by CTR_Frz or by the enables", VERSION >= 4 ? seen_status & CTR_FRZ : seen_ctrl,
                VERSION >= 4 ? CTR_FRZ : 0);
}

static void overflow_sampled(void)
{
    wrmsr(MSR_PERF_GLOBAL_CTRL, 0);
    wrmsr(MSR_PMC0, (uint32_t)-20);
    wrmsr(MSR_PERFEVTSEL0, INSTRUCTIONS);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 1);
    __asm__ volatile(".rept 100\n nop\n .endr");
    wrmsr(MSR_PERF_GLOBAL_CTRL, 0);
}

static void pebs(void)
{
    static volatile uint64_t area[32], buffer[50];
    if (!PEBS) {
        check("no PEBS: its MSRs fault", rdmsr_faults(MSR_PEBS_ENABLE) && wrmsr_faults(MSR_DS_AREA, 0));
        return;
    }
    area[4] = area[5] = (uint64_t)(uintptr_t)buffer;
    area[6] = area[7] = (uint64_t)(uintptr_t)buffer + sizeof buffer;
    area[8] = 1ull << 40;
    wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, ~0ull);
    wrmsr(MSR_DS_AREA, (uint64_t)(uintptr_t)area);
    wrmsr(MSR_PEBS_ENABLE, 1);
    *apic(0x340) = LVT_NMI;
    nmis = 0;
    overflow_sampled();
    check_equal("a PEBS record is 200 bytes", area[5] - area[4], 200);
    check("it has an IP", buffer[1] != 0);
    check("the counter is reset", rdmsr(MSR_PMC0) >> 40 == 1);
    check_equal("no interrupt below the threshold", nmis, 0);
    overflow_sampled();
    check_equal("one at the threshold", nmis, 1);
    check_equal("by the status", seen_status, 1ull << 62);
    wrmsr(MSR_PEBS_ENABLE, 0);
}

void tests(void)
{
    gate(2, (const void *)on_nmi);
    there();
    counting();
    freezes();
    overflows();
    pebs();
    pt_reset();
}
