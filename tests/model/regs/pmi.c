/*
 * The ToPA PMI: LVTPC's delivery modes, its mask bit, IA32_PERF_GLOBAL_STATUS, the skid, a second PMI; the early PMI of
 * a part with a single output region.
 *
 * Source: SDM "ToPA PMI", "ToPA PMI and Single Output Region ToPA Implementation" (36.2.6.2), "Local Vector Table".
 */
#include "regs.h"

#define END 1ull
#define INT (1ull << 2)
#define STOP (1ull << 4)
#define LVT_MASKED 0x10000u
#define LVT_NMI 0x400u
#define LVT_SMI 0x200u
#define LVT_INIT 0x500u
#define LVT_EXTINT 0x700u
#define VECTOR 0x40u
#define SMI_COUNT 0x9000ull

struct interrupt_frame;
static volatile uint32_t interrupts, nmis;
static volatile uint64_t seen_status, seen_ptrs, seen_lvtpc, seen_trace_status;
static volatile bool rearm; /* the handler clears LVTPC's mask bit */

/* Tracing ends in the handler of the first: where it hit can be read. */
static void pmi_seen(void)
{
    seen_lvtpc = *apic(0x340);
    seen_status = rdmsr(MSR_IA32_PERF_GLOBAL_STATUS);
    if (rearm) {
        wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TOPA_PMI);
        *apic(0x340) = (uint32_t)seen_lvtpc & ~LVT_MASKED;
        return;
    }
    wrmsr(MSR_RTIT_CTL, 0);
    seen_ptrs = rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS);
    seen_trace_status = rdmsr(MSR_RTIT_STATUS);
}

__attribute__((interrupt)) static void on_interrupt(struct interrupt_frame *frame)
{
    (void)frame;
    interrupts++;
    pmi_seen();
    *apic(0xb0) = 0;
}

__attribute__((interrupt)) static void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    nmis++;
    pmi_seen();
}

/* A second PMI may still wait from the run before: let it come while LVTPC is masked. */
static void settle(void)
{
    pt_reset();
    *apic(0x340) = LVT_MASKED;
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(0x200);
    wrmsr(MSR_RTIT_CTL, 0);
    wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TOPA_PMI);
    pt_reset();
}

/* Fill the first region, which has INT, or half of the second as well. Handlers of user code are not traced. */
static void run(uint32_t lvtpc, uint32_t nr_bytes)
{
    qwords(TABLE)[0] = REGION | INT;
    qwords(TABLE)[1] = SINGLE ? TABLE | END : REGION + 0x1000;
    qwords(TABLE)[2] = TABLE | END;
    settle();
    *apic(0x340) = lvtpc;
    interrupts = nmis = 0;
    seen_status = seen_lvtpc = seen_ptrs = 0;
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0);
    __asm__ volatile("sti");
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(nr_bytes);
    wrmsr(MSR_RTIT_CTL, 0);
    __asm__ volatile("nop; nop; cli");
}

static void delivery_modes(void)
{
    rearm = false;
    run(VECTOR, 0x1400);
    check_equal("fixed: one interrupt", interrupts, 1);
    check_equal("fixed: IA32_PERF_GLOBAL_STATUS[55]", seen_status >> 55 & 1, 1);
    check_equal("fixed: LVTPC is masked on delivery", seen_lvtpc, LVT_MASKED | VECTOR);
    check_equal("fixed: the status stays", rdmsr(MSR_IA32_PERF_GLOBAL_STATUS) >> 55 & 1, 1);
    wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TOPA_PMI);
    check_equal("fixed: until it is reset", rdmsr(MSR_IA32_PERF_GLOBAL_STATUS) >> 55 & 1, 0);
    run(LVT_NMI, 0x1400);
    check_equal("NMI: one", nmis, 1);
    check_equal("NMI: LVTPC is masked on delivery", seen_lvtpc, LVT_MASKED | LVT_NMI);
    run(LVT_MASKED | VECTOR, 0x1400);
    check_equal("masked: none", interrupts + nmis, 0);
    check_equal("masked: the status bit is set", rdmsr(MSR_IA32_PERF_GLOBAL_STATUS) >> 55 & 1, 1);
    *(volatile uint32_t *)SMI_COUNT = 0;
    static const uint8_t handler[] = {0xff, 0x06, 0x00, 0x90, 0x0f, 0xaa}; /* inc word [9000h]; rsm */
    for (unsigned n = 0; n < sizeof(handler); n++)
        ((volatile uint8_t *)0x38000)[n] = handler[n];
    run(LVT_SMI, 0x1400);
    check_equal("SMI: one", *(volatile uint32_t *)SMI_COUNT, 1);
    check_equal("SMI: no other", interrupts + nmis, 0);
    run(LVT_INIT, 0x1400);
    run(LVT_EXTINT, 0x1400);
    check_equal("INIT, ExtINT: LVTPC does not support them", interrupts + nmis, 0);
    run(VECTOR, 0x800);
    check_equal("none before the region is full", interrupts, 0);
}

/* The handler ends tracing, so that the bytes written after the region are the skid. */
static void skid(void)
{
    run(LVT_NMI, 0x1f00);
    check_equal("skid: the second region", (uint32_t)seen_ptrs >> 7, 1);
    uint64_t skid_bytes = seen_ptrs >> 32;
    check_n("skid: bytes from the region's end", skid_bytes, skid_bytes + 1 > SKID && skid_bytes <= SKID + 64);
}

static void second(void)
{
    rearm = true;
    run(LVT_NMI, 0x1f00);
    check_equal("a second PMI comes where it should", nmis, SECOND);
    rearm = false;
    run(LVT_NMI, 0x1f00);
    check_equal("none where LVTPC stays masked", nmis, 1);
}

static void stop_and_int(void)
{
    pt_reset();
    nmis = 0;
    qwords(TABLE)[0] = REGION | INT | STOP;
    qwords(TABLE)[1] = TABLE | END;
    *apic(0x340) = LVT_NMI;
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(0x1400);
    check_equal("INT and STOP: the PMI comes", nmis, 1);
    check_equal("INT and STOP: and finds Stopped", seen_trace_status >> 5 & 1, SINGLE ? 0 : 1);
    wrmsr(MSR_RTIT_CTL, 0);
}

/* The PMI comes EARLY bytes before the region's end; without a handler that ends it the output wraps. */
static void early(void)
{
    rearm = false;
    run(LVT_NMI, 0x1800);
    check_equal("single region: one PMI", nmis, 1);
    uint64_t left = 0x1000 - (seen_ptrs >> 32);
    check_n("single region: bytes that are left", left, left <= 512 && left > 512 - 32);
    rearm = true;
    run(LVT_NMI, 0x1400);
    check("single region: the output wraps", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) >> 32 < 0x800);
    check_equal("single region: to the same table", rdmsr(MSR_RTIT_OUTPUT_BASE), TABLE);
    check_equal("single region: with no error", rdmsr(MSR_RTIT_STATUS) & 0x30, 0);
    rearm = false;
    pt_reset();
    qwords(TABLE)[0] = REGION | STOP;
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(0x1400);
    wrmsr(MSR_RTIT_CTL, 0);
    check_equal("single region: STOP", rdmsr(MSR_RTIT_STATUS) & 0x30, RTIT_STATUS_STOPPED);
    static const uint64_t wrong[] = {REGION + 0x1000, TABLE_2 | END};
    qwords(TABLE_2)[0] = REGION + 0x2000;
    for (unsigned n = 0; n < 2; n++) {
        pt_reset();
        qwords(TABLE)[0] = REGION;
        qwords(TABLE)[1] = wrong[n];
        wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
        wrmsr(MSR_RTIT_CTL, CTL_TOPA);
        trace_bytes(0x1400);
        wrmsr(MSR_RTIT_CTL, 0);
        check_n("single region: entry 1 is wrong:", wrong[n], (rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_ERROR) != 0);
    }
}

void tests(void)
{
    gate(2, (const void *)on_nmi);
    gate(VECTOR, (const void *)on_interrupt);
    pt_reset();
    delivery_modes();
    stop_and_int();
    if (SINGLE) {
        early();
    } else {
        skid();
        second();
    }
    pt_reset();
}
