/*
 * Time: TSC, TMA, MTC, CYC and CBR packets.
 *
 * The emulator's clock is its count of instructions and of iterations of string instructions; one tick of the timestamp
 * counter is one cycle of the core clock, which does not run while the CPU is halted. (With several CPUs, the core
 * clock counts the CPU's own instructions, and the timestamp counter is common.) The core crystal clock (ART) is the
 * timestamp counter before any offset, divided by the ratio of CPUID.15H.
 *
 * An MTC packet comes when its time has passed: before the next packet, or by a timer of the emulator where none comes.
 *
 * Source: SDM "Cycle-Accurate Mode" (36.3.6), "Core:Bus Ratio (CBR) Packet" and following (36.4.2.10 to 36.4.2.14),
 * "Tracking Time" (36.8.3).
 */
#include "pt_internal.h"

#include "pc_system.h"

/* With one CPU the emulator's time is brought up to date only now and then. */
static uint64_t ticks_late(BX_CPU_C *cpu)
{
    return BX_SMP_PROCESSORS == 1 ? cpu->get_icount() - cpu->get_icount_last_sync() : 0;
}

static uint64_t ticks_now(BX_CPU_C *cpu)
{
    return bx_pc_system.time_ticks() + ticks_late(cpu);
}

uint64_t ptm_cycle(BX_CPU_C *cpu)
{
    return BX_SMP_PROCESSORS == 1 ? ticks_now(cpu) - cpu->ptm.slow.halted_ticks : cpu->get_icount();
}

/* TSC = ART * numerator / denominator, from CPUID.15H:EBX and EAX. */
struct ratio {
    uint32_t denominator, numerator;
};

static struct ratio art_ratio(BX_CPU_C *cpu)
{
    static struct ratio ratio;
    if (ratio.numerator == 0) {
        struct cpuid_function_t leaf = {};
        cpu->cpuid->get_cpuid_leaf(0x15, 0, &leaf);
        ptm_cpuid(cpu, 0x15, 0, &leaf);
        bool known = leaf.eax != 0 && leaf.ebx != 0;
        ratio.denominator = known ? leaf.eax : 1;
        ratio.numerator = known ? leaf.ebx : 1;
    }
    return ratio;
}

/* The crystal's count, and the ticks of the timestamp counter since its last step. */
static uint64_t art_now(BX_CPU_C *cpu, uint32_t *ticks_since)
{
    struct ratio ratio = art_ratio(cpu);
    uint64_t ticks = ticks_now(cpu);
    uint64_t part = ticks % ratio.numerator * ratio.denominator;
    *ticks_since = (uint32_t)(part % ratio.numerator / ratio.denominator);
    return ticks / ratio.numerator * ratio.denominator + part / ratio.numerator;
}

static uint32_t mtc_freq(const struct ptm_cpu *p)
{
    return (p->msr.ctl & RTIT_CTL_MTC_FREQ) >> RTIT_CTL_MTC_FREQ_SHIFT;
}

static uint64_t mtc_now(BX_CPU_C *cpu)
{
    uint32_t ticks_since;
    return art_now(cpu, &ticks_since) >> mtc_freq(&cpu->ptm);
}

/* 36.4.2.13: what the TSC packet before it was in crystal ticks. */
static void put_tma(BX_CPU_C *cpu)
{
    uint32_t ticks_since;
    struct packet packet = {};
    packet.kind = PT_PACKET_TMA;
    packet.tma_ctc = (uint16_t)art_now(cpu, &ticks_since);
    packet.tma_fc = ticks_since & 0x1ff;
    ptm_put(cpu, &packet);
}

uint64_t ptm_tsc(BX_CPU_C *cpu)
{
    return cpu->get_Virtual_TSC() + ticks_late(cpu);
}

/* 36.4.2.11; in non-root operation with the offset and scaling of the VMCS (36.5.2.6). */
void ptm_put_tsc(BX_CPU_C *cpu)
{
    if (!(cpu->ptm.msr.ctl & RTIT_CTL_TSC_EN))
        return;
    struct packet packet = {};
    packet.kind = PT_PACKET_TSC;
    packet.tsc = ptm_tsc(cpu) & 0xffffffffffffffull;
    ptm_put(cpu, &packet);
    if (cpu->ptm.msr.ctl & RTIT_CTL_MTC_EN)
        put_tma(cpu);
}

/* 36.4.2.10: the ratio is that of the base frequency, CPUID.16H: nothing changes it. */
void ptm_put_cbr(BX_CPU_C *cpu)
{
    struct packet packet = {};
    packet.kind = PT_PACKET_CBR;
    packet.payload = 35;
    ptm_put(cpu, &packet);
}

/* 36.4.2.12: eight bits of the crystal's count from bit MTCFreq up, when they have changed. With CYC packets, what was
 * executed before it comes before it. */
static void mtc_if_due(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t now = mtc_now(cpu);
    if (now == p->slow.mtc_last)
        return;
    p->slow.mtc_last = now;
    if (p->msr.ctl & RTIT_CTL_CYC_EN)
        ptm_tnt_flush(cpu);
    struct packet packet = {};
    packet.kind = PT_PACKET_MTC;
    packet.payload = now & 0xff;
    ptm_put(cpu, &packet);
}

static void mtc_timer_arm(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct ratio ratio = art_ratio(cpu);
    uint64_t art = (mtc_now(cpu) + 1) << mtc_freq(p);
    uint64_t due = art / ratio.denominator * ratio.numerator +
                   (art % ratio.denominator * ratio.numerator + ratio.denominator - 1) / ratio.denominator;
    bx_pc_system.activate_timer_ticks(p->slow.mtc_timer, due - bx_pc_system.time_ticks(), false);
}

static void mtc_timer(void *context)
{
    BX_CPU_C *cpu = (BX_CPU_C *)context;
    struct ptm_cpu *p = &cpu->ptm;
    if (!p->trigger_en || !(p->msr.ctl & RTIT_CTL_MTC_EN))
        return;
    if (!p->slow.slept)
        mtc_if_due(cpu);
    mtc_timer_arm(cpu);
}

void ptm_timing_start(BX_CPU_C *cpu)
{
    struct ptm_slow *s = &cpu->ptm.slow;
    s->slept = false;
    s->cyc_last = ptm_cycle(cpu);
    s->cyc_sent = false;
    if (!(cpu->ptm.msr.ctl & RTIT_CTL_MTC_EN))
        return;
    if (!s->mtc_timer_made)
        s->mtc_timer = bx_pc_system.register_timer_ticks(cpu, mtc_timer, 1000, false, false, "ptmodel.mtc");
    s->mtc_timer_made = true;
    s->mtc_last = mtc_now(cpu);
    mtc_timer_arm(cpu);
}

/* 36.3.6, "CYC-eligible packets" */
static bool cyc_eligible(enum packet_kind kind)
{
    switch (kind) {
    case PT_PACKET_TNT_8:
    case PT_PACKET_TNT_64:
    case PT_PACKET_TIP:
    case PT_PACKET_TIP_PGE:
    case PT_PACKET_TIP_PGD:
    case PT_PACKET_MODE_EXEC:
    case PT_PACKET_MODE_TSX:
    case PT_PACKET_PIP:
    case PT_PACKET_VMCS:
    case PT_PACKET_OVF:
    case PT_PACKET_MTC:
    case PT_PACKET_TSC:
    case PT_PACKET_PTW:
    case PT_PACKET_EXSTOP:
        return true;
    default:
        return false;
    }
}

/* 36.3.6.3, "Cycle Thresholds"; at most one in a cycle. A TNT packet's is that of its first branch (36.3.6.2). OVF
 * always has one: the counter starts again there (36.3.8.2, Table 36-35). */
static void cyc_if_due(BX_CPU_C *cpu, enum packet_kind kind)
{
    struct ptm_slow *s = &cpu->ptm.slow;
    if (!(cpu->ptm.msr.ctl & RTIT_CTL_CYC_EN) || !cyc_eligible(kind))
        return;
    bool tnt = kind == PT_PACKET_TNT_8 || kind == PT_PACKET_TNT_64;
    uint64_t cycle = tnt ? s->tnt_cycle : ptm_cycle(cpu);
    uint32_t code = (cpu->ptm.msr.ctl & RTIT_CTL_CYC_THRESH) >> RTIT_CTL_CYC_THRESH_SHIFT;
    uint64_t threshold = code == 0 || kind == PT_PACKET_OVF ? 0 : 1ull << (code - 1);
    if (cycle < s->cyc_last || cycle - s->cyc_last < threshold || (s->cyc_sent && cycle == s->cyc_last))
        return;
    struct packet packet = {};
    packet.kind = PT_PACKET_CYC;
    packet.cyc = cycle - s->cyc_last;
    ptm_put(cpu, &packet);
    if (s->overflow)
        return; /* it was lost, and the counter runs on */
    s->cyc_last = cycle;
    s->cyc_sent = true;
}

/* HLT: the core clock stops. */
void ptm_halt(BX_CPU_C *cpu)
{
    if (!cpu->ptm.trigger_en)
        return;
    cpu->ptm.slow.slept = true;
    cpu->ptm.slow.halted_at = ticks_now(cpu);
    ptm_slow_update(&cpu->ptm);
}

/* The first event after the clock was stopped: "after any event that causes the processor clocks to stop" (36.4.2.11),
 * "on C-state wake up" (36.4.2.10). */
void ptm_wake(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->slow.slept = false;
    p->slow.halted_ticks += ticks_now(cpu) - p->slow.halted_at;
    ptm_slow_update(p);
    if (p->msr.ctl & RTIT_CTL_MTC_EN)
        p->slow.mtc_last = mtc_now(cpu);
    ptm_put_tsc(cpu);
    ptm_put_cbr(cpu);
}

void ptm_timing_lose(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->slow.slept)
        ptm_wake(cpu);
    if (p->msr.ctl & RTIT_CTL_MTC_EN)
        p->slow.mtc_last = mtc_now(cpu);
}

/* TMA directly follows its TSC; a TNT packet says what was executed before the time that is due. */
void ptm_timing_before(BX_CPU_C *cpu, enum packet_kind kind)
{
    struct ptm_cpu *p = &cpu->ptm;
    bool tnt = kind == PT_PACKET_TNT_8 || kind == PT_PACKET_TNT_64;
    if (!tnt && kind != PT_PACKET_TMA && kind != PT_PACKET_MTC && kind != PT_PACKET_CYC && kind != PT_PACKET_OVF) {
        if (p->slow.slept)
            ptm_wake(cpu);
        if (p->msr.ctl & RTIT_CTL_MTC_EN)
            mtc_if_due(cpu);
    }
    cyc_if_due(cpu, kind);
}
