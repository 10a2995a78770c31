/*
 * Filtering by IP, and TraceStop: the ranges of IA32_RTIT_ADDRn_A and _B.
 *
 * FilterEn is worked out where a taken branch, an event or MOV CR3 ends, and where TraceEn is set: sequential execution
 * into a range, or out of it, changes nothing. With no range in use none of this code runs (PTM_HOT_RANGES).
 *
 * Source: SDM "Filtering by IP" and "TraceStop" (36.2.4.3), "Filter Enable (FilterEn)" (36.2.5.5), "Packet Generation
 * Disable (TIP.PGD)" (36.4.2.5); rows 6 to 9 of Table "Packet Generation under Different Enable Conditions".
 */
#include "pt_internal.h"

enum { RANGE_FILTER = 1, RANGE_STOP = 2 };

static unsigned range_use(const struct ptm_cpu *p, unsigned range)
{
    return (unsigned)(p->msr.ctl >> RTIT_CTL_ADDR_CFG_SHIFT(range)) & 0xf;
}

/* Limits are inclusive. */
static bool inside(const struct ptm_cpu *p, unsigned range, uint64_t ip)
{
    return ip >= p->msr.addr[2 * range] && ip <= p->msr.addr[2 * range + 1];
}

static bool any_range(const struct ptm_cpu *p, unsigned use)
{
    for (unsigned range = 0; range < PTM_NR_RANGES; range++)
        if (range_use(p, range) == use)
            return true;
    return false;
}

static bool inside_any(const struct ptm_cpu *p, unsigned use, uint64_t ip)
{
    for (unsigned range = 0; range < PTM_NR_RANGES; range++)
        if (range_use(p, range) == use && inside(p, range, ip))
            return true;
    return false;
}

bool ptm_filter_ranges_used(const struct ptm_cpu *p)
{
    return any_range(p, RANGE_FILTER);
}

bool ptm_ranges_used(const struct ptm_cpu *p)
{
    return (p->msr.ctl >> RTIT_CTL_ADDR_CFG_SHIFT(0) & 0xffff) != 0;
}

/* "FilterEn will toggle only when TraceEn=1 and ContextEn=1"; TraceStop needs TriggerEn before and ContextEn after, and
 * forces FilterEn to 0 (36.4.2.9): there it stays. */
bool ptm_enables_at(BX_CPU_C *cpu, uint64_t filter_ip, uint64_t stop_ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    ptm_enables_update(cpu);
    if (!p->trigger_en || !p->context_en || !ptm_ranges_used(p))
        return false;
    /* 36.3.1.1: what is compared is what IP packets hold, RIP on parts that report no linear addresses. */
    uint64_t base = ptm_ip_base(cpu);
    bool stop = inside_any(p, RANGE_STOP, ptm_ip_payload(stop_ip, base));
    bool filter = inside_any(p, RANGE_FILTER, ptm_ip_payload(filter_ip, base));
    p->filter_en = !stop && (!any_range(p, RANGE_FILTER) || filter);
    ptm_enables_update(cpu);
    return stop;
}

/* 36.4.2.9; and it "will not be dropped" in an overflow, which ends before it (36.2.4.3). */
void ptm_trace_stop(BX_CPU_C *cpu)
{
    const struct ptm_slow *s = &cpu->ptm.slow;
    if (!s->overflow)
        ptm_put_plain(cpu, PT_PACKET_TRACESTOP); /* which may be the first to be lost */
    if (s->overflow) {
        ptm_overflow_end(cpu, ptm_current_ip(cpu));
        ptm_put_plain(cpu, PT_PACKET_TRACESTOP);
    }
    cpu->ptm.msr.status |= RTIT_STATUS_STOPPED;
    ptm_enables_update(cpu);
}

/* Rows 6b, 7e, 7f, 9c: TIP.PGD replaces the TNT bit or the TIP. Only the target of a conditional branch or a compressed
 * return is known without an IP. */
static void leave(BX_CPU_C *cpu, enum ptm_near kind, uint64_t to, bool compressed)
{
    bool skl014 = (ptm_config.errata & PTM_SKL014) && (kind == PTM_NEAR_JUMP || kind == PTM_NEAR_CALL);
    ptm_tnt_flush(cpu);
    if (kind == PTM_NEAR_TAKEN || compressed || skl014)
        ptm_put_ip_suppressed(cpu, PT_PACKET_TIP_PGD);
    else
        ptm_put_ip(cpu, PT_PACKET_TIP_PGD, to);
}

/* Rows 6c, 7b, 9b. */
static void enter(BX_CPU_C *cpu, uint64_t to)
{
    cpu->ptm.retstack_depth = 0;
    ptm_put_mode(cpu, false);
    ptm_put_ip(cpu, PT_PACKET_TIP_PGE, to);
    ptm_psb_if_due(cpu, to);
}

static void stay(BX_CPU_C *cpu, enum ptm_near kind, uint64_t next, uint64_t to)
{
    struct ptm_cpu *p = &cpu->ptm;
    switch (kind) {
    case PTM_NEAR_NOT_TAKEN:
    case PTM_NEAR_TAKEN:
        ptm_tnt(cpu, p, to, kind == PTM_NEAR_TAKEN);
        break;
    case PTM_NEAR_JUMP:
        break;
    case PTM_NEAR_JUMP_INDIRECT:
        ptm_indirect(cpu, to);
        break;
    case PTM_NEAR_CALL:
    case PTM_NEAR_CALL_INDIRECT:
        ptm_call_packets(cpu, p, next, to, kind == PTM_NEAR_CALL_INDIRECT);
        break;
    case PTM_NEAR_RETURN:
        ptm_return_packets(cpu, p, to);
        break;
    }
}

void ptm_near_in_ranges(BX_CPU_C *cpu, enum ptm_near kind, uint64_t from, uint64_t next, uint64_t to)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint32_t hot = p->hot;
    bool before = (hot & PTM_HOT_BRANCH) != 0;
    bool stop = kind != PTM_NEAR_NOT_TAKEN && ptm_enables_at(cpu, to, to);
    bool after = (p->hot & PTM_HOT_BRANCH) != 0;
    bool compressed = before && !after && kind == PTM_NEAR_RETURN && ptm_return_compressed(p, to);
    ptm_truth_branch(cpu, hot, from, to, !compressed);
    if (before && after)
        stay(cpu, kind, next, to);
    else if (before)
        leave(cpu, kind, to, compressed);
    else if (after)
        enter(cpu, to);
    if (stop)
        ptm_trace_stop(cpu);
    else if (before && !after)
        ptm_psb_if_due(cpu, to);
}
