#include "decode/engine/clock.h"

#define TMA_CTC_BITS 16u
#define MTC_BITS 8u
#define MTC_MASK ((1ull << MTC_BITS) - 1)
#define MOST_TIMES 16u /* a core is not so many times slower or faster than its TSC: it was halted */

void engine_clock_begin(struct engine_clock *clock, uint32_t numerator, uint32_t denominator, uint8_t mtc_freq)
{
    *clock = (struct engine_clock){.numerator = denominator ? numerator : 0,
                                   .denominator = denominator,
                                   .mtc_freq = mtc_freq,
                                   .cycle = ENGINE_CLOCK_ONE,
                                   .high = ENGINE_CLOCK_NEVER};
}

/* Set an anchor: the TSC is known here. same: the core probably ran all the time since the last anchor. */
static void drop_anchor(struct engine_clock *clock, uint64_t tsc, bool same)
{
    if (same && clock->cycles > 0 && tsc > clock->anchor) {
        const uint64_t cycle = (tsc - clock->anchor) * ENGINE_CLOCK_ONE / clock->cycles;
        if (cycle > ENGINE_CLOCK_ONE / MOST_TIMES && cycle < ENGINE_CLOCK_ONE * MOST_TIMES)
            clock->cycle = cycle;
    }
    clock->tsc = clock->anchor = tsc;
    clock->cycles = 0;
    clock->anchors++;
}

static void take_tma(struct engine_clock *clock, const struct packet *packet)
{
    clock->counting = clock->tsc != 0 && clock->numerator != 0;
    clock->base_tsc = clock->tsc - packet->tma_fc;
    clock->base_ctc = packet->tma_ctc;
    clock->ticks = clock->base_ctc >> clock->mtc_freq;
    clock->mtc_known = false;
}

void engine_clock_overflow(struct engine_clock *clock)
{
    clock->overflown = true;
}

/* MTC has eight bits of the count; those above follow from what was counted before. If MTCFreq is above 8, TMA
 * has fewer than eight of them: then the first MTC is the next possible one, and the count continues from there in
 * MTC's own bits. */
static void take_mtc(struct engine_clock *clock, uint64_t payload)
{
    const bool first = !clock->mtc_known && clock->mtc_freq + MTC_BITS > TMA_CTC_BITS;
    const uint64_t passed = first ? 1 : (payload - clock->ticks) & MTC_MASK;
    const uint64_t ticks = clock->ticks + passed;
    const uint64_t crystal = (ticks << clock->mtc_freq) - clock->base_ctc;
    drop_anchor(clock, clock->base_tsc + crystal * clock->numerator / clock->denominator,
                clock->mtc_known && passed == 1);
    clock->ticks = ticks;
    clock->mtc_known = true;
    if (first) {
        const uint64_t renamed = (ticks & ~MTC_MASK) | payload;
        clock->base_ctc += (renamed - ticks) << clock->mtc_freq;
        clock->ticks = renamed;
    }
}

static void take_cyc(struct engine_clock *clock, uint64_t cycles)
{
    clock->cycles += cycles;
    if (clock->tsc != 0)
        clock->tsc = clock->anchor + clock->cycles * clock->cycle / ENGINE_CLOCK_ONE;
}

bool engine_clock_take(struct engine_clock *clock, const struct packet *packet)
{
    const uint64_t before = clock->tsc;
    switch (packet->kind) {
    case PT_PACKET_TSC:
        clock->counting = clock->overflown = false;
        drop_anchor(clock, packet->tsc, false);
        break;
    case PT_PACKET_TMA:
        take_tma(clock, packet);
        break;
    case PT_PACKET_MTC:
        if (clock->counting)
            take_mtc(clock, packet->payload);
        break;
    case PT_PACKET_CYC:
        take_cyc(clock, packet->cyc);
        break;
    case PT_PACKET_CBR:
        clock->ratio = (uint8_t)packet->payload;
        break;
    default:
        break;
    }
    return clock->tsc != before;
}
