#include "decode/foreign/perf_walk.h"

#include "decode/capture/psb.h"
#include "decode/flow/flow_cut.h"

void perf_walk_begin(struct perf_walker *walker, const struct foreign *foreign, const struct perf_point *points,
                     size_t nr_points)
{
    const struct flow_input *input = &foreign->trace.input;
    *walker = (struct perf_walker){.bytes = foreign->packets.bytes,
                                   .size = foreign->packets.size,
                                   .at = psb_next(foreign->packets.bytes, foreign->packets.size, 0),
                                   .points = points,
                                   .nr_points = nr_points,
                                   .gaps = &foreign->trace.gaps};
    engine_clock_begin(&walker->clock, input->cpuid_15_ebx, input->cpuid_15_eax, input->mtc_freq);
}

/* After a gap packets begin with a PSB. */
static void pass_gaps(struct perf_walker *walker)
{
    for (; walker->gap < walker->gaps->count && walker->gaps->items[walker->gap].at <= walker->at; walker->gap++) {
        walker->at = psb_next(walker->bytes, walker->size, walker->gaps->items[walker->gap].at);
        walker->block = PACKET_BLOCK_NONE;
    }
}

/* Find the point that is valid at this time. The search goes in both directions, so that a damaged TSC has no lasting
 * effect. */
static void find_point(struct perf_walker *walker, uint64_t now)
{
    while (walker->point + 1 < walker->nr_points && (walker->points[walker->point + 1].tsc & PERF_TSC_MASK) <= now)
        walker->point++;
    while (walker->point > 0 && (walker->points[walker->point].tsc & PERF_TSC_MASK) > now)
        walker->point--;
}

/* The time of the next timing packet, if that is at most two MTC periods away; else the current time. */
static uint64_t next_time(const struct perf_walker *walker)
{
    const struct engine_clock *now = &walker->clock;
    struct engine_clock clock = *now;
    const uint64_t period = clock.denominator ? ((uint64_t)clock.numerator << clock.mtc_freq) / clock.denominator : 0;
    enum packet_block block = walker->block;
    uint64_t at = walker->at;
    while (at < walker->size && clock.tsc == now->tsc) {
        struct packet packet;
        const int size = packet_parse_next(&packet, walker->bytes + at, walker->size - at, &block);
        if (size <= 0 || packet.kind == PT_PACKET_PSB)
            break;
        engine_clock_take(&clock, &packet);
        at += (uint64_t)size;
    }
    return clock.tsc > now->tsc && clock.tsc - now->tsc <= 2 * period ? clock.tsc : now->tsc;
}

bool perf_walk_resumes(const struct perf_walker *walker)
{
    return walker->packet.kind == PT_PACKET_TIP_PGE || (walker->packet.kind == PT_PACKET_FUP && walker->overflown);
}

/* A PSB has the time of the TSC packet in its PSB+. */
static void take_time(struct perf_walker *walker)
{
    struct packet packet = walker->packet;
    if (packet.kind == PT_PACKET_PSB) {
        packet =
            (struct packet){.kind = PT_PACKET_TSC, .tsc = flow_cut_tsc(walker->bytes, walker->size, walker->packet_at)};
        if (packet.tsc == 0)
            return;
    }
    engine_clock_take(&walker->clock, &packet);
}

bool perf_walk_next(struct perf_walker *walker)
{
    int size = -1;
    pass_gaps(walker);
    while (walker->at < walker->size && (size = packet_parse_next(&walker->packet, walker->bytes + walker->at,
                                                                  walker->size - walker->at, &walker->block)) < 0) {
        walker->block = PACKET_BLOCK_NONE;
        walker->at = psb_next(walker->bytes, walker->size, walker->at + 1);
    }
    if (walker->at >= walker->size)
        return false;
    walker->packet_at = walker->at;
    walker->at += (uint64_t)size;
    take_time(walker);
    walker->overflown =
        walker->before == PT_PACKET_OVF || (walker->overflown && walker->before != PT_PACKET_TIP_PGE &&
                                            walker->before != PT_PACKET_FUP && walker->before != PT_PACKET_PSB);
    walker->before = walker->packet.kind;
    find_point(walker, perf_walk_resumes(walker) ? next_time(walker) : walker->clock.tsc);
    return true;
}
