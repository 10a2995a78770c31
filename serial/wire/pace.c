/* Kind: core, hot */
#include "serial/wire/pace.h"

#include "base/init.h"

#define LOSSY_PARTS 4u
#define LOSSY_ROUNDS 8u
#define LEAST_FRAMES 4u /* a loss shows when three later frames have arrived: window.h */

static uint32_t between(uint32_t least, uint64_t value, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t)value;
}

static void set_limit(struct pace *pace, uint64_t limit)
{
    pace->limit = between(pace->least, limit, pace->ceiling);
    pace->frames = between(1, pace->limit / PACE_REQUESTS / pace->frame_bytes, pace->max_frames);
}

INIT_CODE struct pace pace_make(uint32_t frame_bytes, uint32_t window_frames, uint32_t max_bytes, uint64_t tsc_hz)
{
    struct pace pace = {.frame_bytes = frame_bytes,
                        .max_frames = max_bytes / frame_bytes,
                        .least = PACE_LEAST_BYTES,
                        .most = window_frames * frame_bytes,
                        .queue_tsc = tsc_hz / 40};

    if (pace.least < LEAST_FRAMES * frame_bytes) {
        pace.least = LEAST_FRAMES * frame_bytes;
    }
    pace.ceiling = pace.most;
    set_limit(&pace, PACE_FIRST_BYTES);
    return pace;
}

/* What the wire carries in span ticks if it has carried bytes in ticks. */
static uint64_t carried(uint64_t bytes, uint64_t span, uint64_t ticks)
{
    return bytes * span / (ticks > 0 ? ticks : 1);
}

/* While frames are lost, the limit is a quarter of the window, or what one round trip needs if that is more. */
static uint64_t most_now(const struct pace *pace, const struct pace_answer *answer, uint64_t ticks)
{
    const uint64_t round_trip = carried(answer->bytes, answer->shortest, ticks), part = pace->most / LOSSY_PARTS;

    if (pace->lossy_rounds == 0) {
        return pace->most;
    }
    return round_trip + round_trip / 4 > part ? round_trip + round_trip / 4 : part;
}

void pace_adapt(struct pace *pace, const struct pace_answer *answer)
{
    const uint64_t span = answer->shortest + pace->queue_tsc, ticks = answer->now - answer->since;
    const int64_t at_least = (int64_t)(pace->polled - answer->sent); /* not answered until then */
    uint64_t limit = pace->limit;

    const uint64_t fast = carried(answer->bytes, span, ticks), most = most_now(pace, answer, ticks);
    if (fast > limit) {
        limit = fast;
    } else if (at_least > (int64_t)span) {
        const uint64_t slow = carried(answer->bytes, span, (uint64_t)at_least);

        limit = between((uint32_t)limit / 2, slow, (uint32_t)limit);
    }
    limit = limit < most ? limit : most;
    if (limit != pace->limit) {
        set_limit(pace, limit);
    }
}

void pace_count_losses(struct pace *pace, uint32_t sent, uint32_t lost)
{
    const uint32_t frames = sent - pace->round_sent, lost_now = lost - pace->round_lost;

    if ((int32_t)frames < (int32_t)PACE_ROUND_FRAMES || frames < pace->limit / pace->frame_bytes) {
        return;
    }
    if (lost_now * PACE_LOSS_DENOMINATOR > frames) {
        pace->ceiling = between(pace->least, pace->limit / 4 * 3, pace->most);
        set_limit(pace, pace->limit);
    } else {
        pace->ceiling = between(pace->least, (uint64_t)pace->ceiling + pace->ceiling / 16, pace->most);
    }
    pace->lossy_rounds = lost_now > 0 ? LOSSY_ROUNDS : pace->lossy_rounds - (pace->lossy_rounds > 0 ? 1 : 0);
    pace->round_sent = sent;
    pace->round_lost = lost;
}
