/*
 * What timing packets prove: the earliest and the latest TSC of the packets that follow the last timing packet.
 *
 * A packet came after the anchor before it and before the next one, for which the trace is searched ahead. CYC packets
 * narrow this: the cycles counted since the previous anchor took at least their shortest time, and so did those up to
 * the next anchor. The core:bus ratio gives the shortest length of a cycle. There is no longest one, because the core
 * may have halted in between.
 */
#include "decode/engine/clock.h"

/* What is rounded in an anchor: the fast counter of TMA, and the crystal's ticks as ticks of the TSC. */
#define ROUNDED 2u
/* The CPU may generate an MTC late: packets before it may be later than its tick, by at most so many ticks of the TSC.
 */
#define MTC_LATE 32u
/* The bus clock differs slightly from its nominal frequency: a cycle is assumed to be shorter by one part in this. */
#define CYCLE_SLACK 128u

/* The length of a cycle at a core:bus ratio. */
static uint64_t shortest_cycle(const struct engine_clock *clock, uint8_t ratio)
{
    if (ratio == 0 || clock->nominal_ratio == 0)
        return 0;
    const uint64_t cycle = ENGINE_CLOCK_ONE * clock->nominal_ratio / ratio;
    return cycle - cycle / CYCLE_SLACK;
}

/* After an overflow, MTC packets may be missing, so that the time is too early. It is still a lower bound for what
 * follows, but no upper bound for what precedes it. */
static bool is_end(const struct engine_clock *ahead, uint64_t anchors)
{
    return ahead->anchors != anchors && !ahead->overflown;
}

static void look_ahead(struct engine_clock *clock, const uint8_t *at, const uint8_t *end, uint64_t end_tsc)
{
    struct engine_clock ahead = *clock;
    struct packet packet = {0};
    uint64_t cycles = 0;
    uint8_t ratio = clock->ratio;
    enum packet_block block = clock->block;
    bool known = ratio != 0;
    for (int size; at < end && (size = packet_parse_next(&packet, at, (size_t)(end - at), &block)) > 0; at += size) {
        if (packet.kind == PT_PACKET_OVF)
            engine_clock_overflow(&ahead);
        if (packet.kind == PT_PACKET_CYC)
            cycles += packet.cyc;
        if (packet.kind == PT_PACKET_CBR) {
            known = known || cycles == 0;
            ratio = packet.payload > ratio ? (uint8_t)packet.payload : ratio;
        }
        engine_clock_convert(clock, &packet, at);
        engine_clock_take(&ahead, &packet);
        if (is_end(&ahead, clock->anchors))
            break;
    }
    uint64_t until = is_end(&ahead, clock->anchors) ? ahead.anchor : end_tsc;
    if (packet.kind == PT_PACKET_MTC && is_end(&ahead, clock->anchors))
        until += MTC_LATE;
    clock->period = (struct engine_clock_period){.end = until >= clock->anchor ? until : ENGINE_CLOCK_NEVER,
                                                 .cycles = cycles,
                                                 .cycle = known ? shortest_cycle(clock, ratio) : 0};
    clock->bounded = clock->anchors;
}

/* The cycles up to the next CYC or anchor. A CYC before a TNT gives the time of the TNT's first branch, and not every
 * packet has a CYC. SDM 36.3.6.2, "CYC packets and TNT"; 36.3.6.3, "Cycle Thresholds". */
static uint64_t cycles_ahead(const uint8_t *at, const uint8_t *end, enum packet_block block)
{
    struct packet packet;
    for (int size; at < end && (size = packet_parse_next(&packet, at, (size_t)(end - at), &block)) > 0; at += size) {
        if (packet.kind == PT_PACKET_CYC)
            return packet.cyc;
        if (packet.kind == PT_PACKET_MTC || packet.kind == PT_PACKET_TSC)
            break;
    }
    return 0;
}

void engine_clock_bound(struct engine_clock *clock, const uint8_t *at, const uint8_t *end, uint64_t end_tsc)
{
    if (clock->tsc == 0 || clock->anchors == 0)
        return;
    if (clock->bounded != clock->anchors)
        look_ahead(clock, at, end, end_tsc);
    const struct engine_clock_period *period = &clock->period;
    clock->low = clock->anchor + clock->cycles * period->cycle / ENGINE_CLOCK_ONE;
    clock->low -= clock->low > ROUNDED ? ROUNDED : 0;
    clock->high = period->end;
    if (period->end == ENGINE_CLOCK_NEVER)
        return;
    const uint64_t next = clock->cycles + (clock->cycles || period->cycles ? cycles_ahead(at, end, clock->block) : 0);
    const uint64_t left = period->cycles > next ? period->cycles - next : 0;
    const uint64_t before = left * period->cycle / ENGINE_CLOCK_ONE;
    clock->high -= before < clock->high ? before : 0;
    clock->high = (clock->high > clock->low ? clock->high : clock->low) + ROUNDED;
    clock->tsc = clock->tsc > clock->high ? clock->high : clock->tsc < clock->low ? clock->low : clock->tsc;
}
