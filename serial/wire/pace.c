/* Kind: core */
/* How many frames are sent between two requests for an acknowledgement. */
#include "serial/wire/pace.h"

#include "base/init.h"

INIT_CODE struct pace pace_make(uint32_t frame_bytes, uint32_t max_bytes, uint64_t slow_tsc)
{
    const uint32_t min_frames = frame_bytes < PACE_MIN_BYTES ? PACE_MIN_BYTES / frame_bytes : 1;

    return (struct pace){.frames = min_frames,
                         .min_frames = min_frames,
                         .max_frames = max_bytes / frame_bytes,
                         .frame_bytes = frame_bytes,
                         .slow_tsc = slow_tsc};
}

/* At this rate, can the wire carry the frames between two requests before an answer counts as slow? */
static bool is_fast(const struct pace *pace, uint64_t bytes, uint64_t ticks)
{
    return bytes * pace->slow_tsc >= (uint64_t)pace->frames * pace->frame_bytes * ticks;
}

void pace_adapt(struct pace *pace, uint32_t base, uint64_t arrived, uint64_t now)
{
    if (!pace->measuring) {
        return;
    }
    if ((int32_t)(base - pace->seq) >= 0) {
        pace->measuring = false;
        if (is_fast(pace, arrived - pace->arrived, now - pace->since)) {
            pace->frames = 2 * pace->frames <= pace->max_frames ? 2 * pace->frames : pace->max_frames;
        }
    } else if ((int64_t)(now - pace->since) >= (int64_t)pace->slow_tsc) {
        pace->measuring = false;
        if (pace->frames > pace->min_frames) {
            pace->frames /= 2;
        }
    }
}
