#include "decode/engine/clock.h"

#define TMA_CTC_BITS 16u
#define MTC_BITS 8u

static void take_tma(struct engine_clock *clock, const struct packet *packet)
{
    clock->counting = clock->tsc != 0 && clock->denominator != 0 && clock->numerator != 0;
    clock->base_tsc = clock->tsc - packet->tma_fc;
    clock->base_ctc = packet->tma_ctc;
    clock->mtc = clock->base_ctc >> clock->mtc_freq;
    clock->mtc_known = false;
}

/* MTC tells eight bits of the count; the ones above follow from what was counted before. TMA tells too few of them
 * where MTCFreq is above 8: then the first MTC behind it is the next one there can be. */
static void count_mtc(struct engine_clock *clock, uint64_t payload)
{
    uint64_t passed = (payload - clock->mtc) & ((1u << MTC_BITS) - 1);
    if (!clock->mtc_known && clock->mtc_freq + MTC_BITS > TMA_CTC_BITS)
        passed = 1;
    const uint64_t count = clock->mtc + passed;
    const uint64_t ticks = (count << clock->mtc_freq) - clock->base_ctc;
    clock->tsc = clock->base_tsc + ticks * clock->numerator / clock->denominator;
    clock->mtc = count;
    if (!clock->mtc_known && clock->mtc_freq + MTC_BITS > TMA_CTC_BITS) {
        /* From now on MTC's own bits count; the base moves to where they are 0 modulo their number. */
        const uint64_t mended = (count & ~(uint64_t)((1u << MTC_BITS) - 1)) | payload;
        clock->base_ctc += (mended - count) << clock->mtc_freq;
        clock->mtc = mended;
    }
    clock->mtc_known = true;
}

bool engine_clock_take(struct engine_clock *clock, const struct packet *packet)
{
    const uint64_t before = clock->tsc;
    switch (packet->kind) {
    case PT_PACKET_TSC:
        clock->tsc = packet->tsc;
        clock->counting = false;
        break;
    case PT_PACKET_TMA:
        take_tma(clock, packet);
        break;
    case PT_PACKET_MTC:
        if (clock->counting)
            count_mtc(clock, packet->payload);
        break;
    default:
        break;
    }
    return clock->tsc != before;
}
