/* Kind: core */
/* Soft PT: when packets are generated. Source: SDM "Trace Filtering" (36.2.4), "Packet Generation Enable Controls"
 * (36.2.5). */
#include "pt/rtit.h"
#include "pt/soft/parts.h"

#define STATUS_HALTED (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED)
#define PRIVILEGES (RTIT_CTL_OS | RTIT_CTL_USER)
#define CR3_PAGE 0x000ffffffffff000ull

bool soft_trigger_en(const struct soft_pt *pt)
{
    return pt->running && !(pt->status & STATUS_HALTED);
}

bool soft_packet_en(const struct soft_pt *pt)
{
    return soft_trigger_en(pt) && pt->context_en && pt->filter_en && (pt->ctl & RTIT_CTL_BRANCH_EN);
}

static unsigned range_kind(const struct soft_pt *pt, unsigned i)
{
    return (unsigned)(pt->ctl >> (RTIT_CTL_ADDR0_CFG_SHIFT + 4 * i)) & 0xf;
}

static bool in_range(const struct soft_pt *pt, enum pt_range_kind kind, uint64_t ip)
{
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        if (range_kind(pt, i) == kind && ip >= pt->addr[2 * i] && ip <= pt->addr[2 * i + 1])
            return true;
    return false;
}

bool soft_has_filter(const struct soft_pt *pt)
{
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        if (range_kind(pt, i) == PT_RANGE_FILTER)
            return true;
    return false;
}

bool soft_enables_at(struct soft_pt *pt, const struct soft_context *to, uint64_t stop_ip)
{
    pt->at = *to;
    if (!soft_trigger_en(pt))
        return false;
    pt->context_en = (pt->ctl & (to->user ? RTIT_CTL_USER : RTIT_CTL_OS)) &&
                     (!(pt->ctl & RTIT_CTL_CR3_FILTER) || ((to->cr3 ^ pt->cr3_match) & CR3_PAGE) == 0);
    if (pt->context_en && soft_has_filter(pt))
        pt->filter_en = in_range(pt, PT_RANGE_FILTER, to->ip);
    if (!pt->context_en || !in_range(pt, PT_RANGE_STOP, stop_ip))
        return false;
    pt->filter_en = false;
    return true;
}

/* With a CR3 filter, exits at loads of CR3 decide what is stepped, not privilege levels. */
static bool by_privilege(const struct soft_pt *pt)
{
    return (pt->ctl & PRIVILEGES) != PRIVILEGES && !(pt->ctl & RTIT_CTL_CR3_FILTER);
}

bool soft_pt_has_window(const struct soft_pt *pt)
{
    return soft_has_filter(pt) || by_privilege(pt);
}

bool soft_pt_guards(const struct soft_pt *pt, uint64_t first, uint64_t last, bool kernel, bool user)
{
    if (!soft_has_filter(pt))
        return by_privilege(pt) && ((kernel && (pt->ctl & RTIT_CTL_OS)) || (user && (pt->ctl & RTIT_CTL_USER)));
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        if (range_kind(pt, i) != PT_RANGE_OFF && last >= pt->addr[2 * i] && first <= pt->addr[2 * i + 1])
            return true;
    return false;
}

bool soft_pt_halted(const struct soft_pt *pt)
{
    return pt->status & STATUS_HALTED;
}

bool soft_pt_must_step(const struct soft_pt *pt, bool guarded, uint64_t cr3)
{
    if (!(pt->ctl & RTIT_CTL_TRACE_EN) || soft_pt_halted(pt))
        return false;
    if ((pt->ctl & RTIT_CTL_CR3_FILTER) && ((cr3 ^ pt->cr3_match) & CR3_PAGE) != 0)
        return soft_packet_en(pt);
    return guarded || soft_packet_en(pt) || !soft_pt_has_window(pt);
}
