/*
 * How many frames lie between two requests for an acknowledgement. While one is due the sender waits so long
 * (window.h), then sends again: so what lies between two must not take a wire longer to carry than that, or it would
 * look like one that loses it. And each request costs root some hundred instructions.
 *
 * So they are close at first, and twice as far apart where the wire has been seen to carry more within the time that an
 * answer may take. What counts is what arrived, not that an answer is there: root may have slept, and a request may
 * have been one for a few bytes.
 *
 * Core. Times are TSC ticks, given by the caller.
 */
#ifndef SERIAL_WIRE_PACE_H
#define SERIAL_WIRE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_MIN_BYTES 5760u /* at 2.5 Mbit/s some 20 ms */

struct pace {
    uint32_t frames; /* between two requests */
    uint32_t min_frames, max_frames;
    uint32_t frame_bytes; /* payload of a full one */
    uint64_t slow_tsc;    /* ticks that make an answer slow */
    bool measuring;       /* how long it takes until ... */
    uint32_t seq;         /* ... all frames before this one are acknowledged */
    uint64_t since;       /* asked for then */
    uint64_t arrived;     /* bytes that were acknowledged before */
};

/* max_bytes: between two requests, several frames at least. */
struct pace pace_make(uint32_t frame_bytes, uint32_t max_bytes, uint64_t slow_tsc);

/* An acknowledgement of all frames before seq is asked for. arrived: bytes acknowledged up to now. */
static inline void pace_asked(struct pace *pace, uint32_t seq, uint64_t arrived, uint64_t now)
{
    if (pace->measuring) {
        return;
    }
    pace->measuring = true;
    pace->seq = seq;
    pace->since = now;
    pace->arrived = arrived;
}

/* Judge the answers, behind taking them in. base: all frames before it are acknowledged. */
void pace_judge(struct pace *pace, uint32_t base, uint64_t arrived, uint64_t now);

#endif
