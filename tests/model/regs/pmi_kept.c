/*
 * A ToPA PMI that waits for its skid when TraceEn is cleared: it comes at once, is lost, or, with
 * IA32_RTIT_CTL.InjectPsbPmiOnEnable, waits in IA32_RTIT_STATUS until TraceEn is set; and so does a PSB.
 *
 * Source: CPUID.14H:EBX[6] ("PSB and PMI preservation"), IA32_RTIT_CTL[56], IA32_RTIT_STATUS[7:6], of later editions.
 */
#include "regs.h"

#define INT (1ull << 2)
#define LVT_NMI 0x400u
#define KEEP (KEPT ? RTIT_CTL_INJECT_PSB_PMI : 0)

struct interrupt_frame;
static volatile uint32_t nmis;

__attribute__((interrupt)) static void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    nmis++;
    wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TOPA_PMI);
    *apic(0x340) = LVT_NMI;
}

/* Fill the first region and 100 bytes of the second; the skid is 300. */
static void run(uint64_t ctl)
{
    qwords(TABLE)[0] = REGION | INT;
    qwords(TABLE)[1] = (REGION + 0x10000) | 4 << 6;
    qwords(TABLE)[2] = TABLE | 1;
    pt_reset();
    *apic(0x340) = LVT_NMI;
    nmis = 0;
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0xf00ull << 32);
    wrmsr(MSR_RTIT_CTL, ctl);
    trace_bytes(0x150);
    check_equal("it has not come yet", nmis, 0);
    wrmsr(MSR_RTIT_CTL, ctl & ~RTIT_CTL_TRACE_EN);
}

static void pmi(void)
{
    run(CTL_TOPA);
    check_equal("TraceEn is cleared: it comes at once, unless such are lost", nmis, LOST ? 0 : 1);
    check_equal("STATUS keeps none", rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_PEND_TOPA_PMI, 0);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(0x400);
    wrmsr(MSR_RTIT_CTL, 0);
    check_equal("there is no other", nmis, LOST ? 0 : 1);
    if (!KEPT)
        return;
    run(CTL_TOPA | KEEP);
    check_equal("kept: none comes", nmis, 0);
    check_equal("kept: the bit of IA32_PERF_GLOBAL_STATUS is clear", rdmsr(MSR_IA32_PERF_GLOBAL_STATUS) >> 55 & 1, 0);
    check_equal("kept: PendTopaPMI", rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_PEND_TOPA_PMI, RTIT_STATUS_PEND_TOPA_PMI);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA | KEEP);
    trace_bytes(0x400);
    check_equal("kept: it comes when tracing is next enabled", nmis, 1);
    wrmsr(MSR_RTIT_CTL, 0);
    check_equal("kept: then no more", rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_PEND_TOPA_PMI, 0);
    check_equal("kept: one in all", nmis, 1);
}

/* The threshold is passed by the packets that clearing TraceEn makes. */
static void psb(void)
{
    static const uint64_t NEARLY = 0x7f8ull << 32;
    run(CTL_TOPA | KEEP);
    wrmsr(MSR_RTIT_STATUS, NEARLY);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA | KEEP);
    wrmsr(MSR_RTIT_CTL, KEEP);
    check_equal("PendPSB, where PSBs are kept", rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_PEND_PSB,
                KEPT ? RTIT_STATUS_PEND_PSB : 0);
    if (!KEPT)
        return;
    wrmsr(MSR_RTIT_CTL, CTL_TOPA | KEEP);
    wrmsr(MSR_RTIT_CTL, KEEP);
    uint64_t status = rdmsr(MSR_RTIT_STATUS);
    check("it comes at once", (status & RTIT_STATUS_PEND_PSB) == 0 && status >> 32 < 0x80);
}

void tests(void)
{
    gate(2, (const void *)on_nmi);
    pmi();
    psb();
    pt_reset();
}
