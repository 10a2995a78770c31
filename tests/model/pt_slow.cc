/*
 * The TNT buffer where the inline part in pt_model.h does not do: long TNT packets, deferred TIPs, the cycle of the
 * first branch, lost packets.
 *
 * Source: SDM "Taken/Not-taken (TNT) Packet" (36.4.2.1), "Deferred TIPs" (36.4.2.3).
 */
#include "pt_internal.h"

static const uint64_t TNT_LONG_FULL = 1ull << 47; /* 47 branches and the stop bit */

void ptm_slow_tnt(BX_CPU_C *cpu, uint64_t ip, bool taken)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->slow.overflow) {
        ptm_psb_if_due(cpu, ip);
        return;
    }
    if (p->slow.slept)
        ptm_wake(cpu);
    if (p->tnt == PTM_TNT_EMPTY)
        p->slow.tnt_cycle = ptm_cycle(cpu);
    p->tnt = p->tnt << 1 | (taken ? 1 : 0);
    if (p->tnt >= (ptm_config.profile->long_tnt ? TNT_LONG_FULL : PTM_TNT_FULL))
        ptm_tnt_full(cpu, ip);
}

/* A TIP may wait only for a TNT packet that has begun, whose branches come first in the trace. Not with CYC packets,
 * which are in the order of time. */
bool ptm_tip_defer(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct ptm_slow *s = &p->slow;
    if (!ptm_config.deferred_tips || p->tnt == PTM_TNT_EMPTY || (p->msr.ctl & RTIT_CTL_CYC_EN) ||
        s->nr_tips == PTM_MAX_DEFERRED_TIPS)
        return false;
    s->tips[s->nr_tips++] = ptm_ip_payload(ip, ptm_ip_base(cpu));
    return true;
}

void ptm_tnt_flush(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct ptm_slow *s = &p->slow;
    if (p->tnt == PTM_TNT_EMPTY)
        return;
    struct packet packet = {};
    packet.kind = p->tnt < 2 * PTM_TNT_FULL ? PT_PACKET_TNT_8 : PT_PACKET_TNT_64;
    packet.tnt_bits = (uint8_t)(63 - __builtin_clzll(p->tnt));
    packet.tnt = p->tnt;
    p->tnt = PTM_TNT_EMPTY;
    ptm_put(cpu, &packet);
    uint32_t nr_tips = s->nr_tips;
    s->nr_tips = 0;
    for (uint32_t n = 0; n < nr_tips; n++)
        ptm_put_payload(cpu, PT_PACKET_TIP, s->tips[n]);
}

/* What was executed and not written is lost. */
void ptm_tnt_drop(struct ptm_cpu *p)
{
    p->tnt = PTM_TNT_EMPTY;
    p->slow.nr_tips = 0;
}

/* IA32_RTIT_CTL or the state of a fault has changed: does a packet, does a branch need more thought? */
void ptm_slow_update(struct ptm_cpu *p)
{
    const uint64_t timing = RTIT_CTL_CYC_EN | RTIT_CTL_MTC_EN;
    struct ptm_slow *s = &p->slow;
    s->watch = (p->msr.ctl & timing) != 0 || s->overflow || ptm_faults_planned(p) || s->slept;
    bool slow_branches =
        (p->msr.ctl & timing) != 0 || s->overflow || ptm_config.deferred_tips || ptm_config.profile->long_tnt;
    if ((p->hot & PTM_HOT_BRANCH) && slow_branches)
        p->hot |= PTM_HOT_SLOW;
    else
        p->hot &= ~PTM_HOT_SLOW;
}
