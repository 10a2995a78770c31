/*
 * Pacing: how many frames are sent between two requests for an acknowledgement. If an acknowledgement does not arrive
 * before the timeout (window.h), frames are sent again. So a slow wire must be able to carry the frames between two
 * requests within that time; otherwise we would mistake slowness for loss. On the other hand, each request costs root
 * mode a few hundred instructions.
 *
 * Therefore the distance between requests starts small. It doubles when the measured throughput shows that the wire
 * could carry that many frames before an answer counts as slow, and halves when an answer is slow. The arrival of an
 * answer does not suffice: root mode may have polled late, or the request may have covered few bytes.
 *
 * Core. Times are TSC ticks, passed by the caller.
 */
#ifndef SERIAL_WIRE_PACE_H
#define SERIAL_WIRE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_MIN_BYTES 5760u /* about 20 ms at 2.5 Mbit/s */

struct pace {
    uint32_t frames; /* between two requests */
    uint32_t min_frames, max_frames;
    uint32_t frame_bytes; /* payload bytes of a full frame */
    uint64_t slow_tsc;    /* an answer is slow after this many ticks */
    /* The measurement of one request: */
    bool measuring;
    uint32_t seq;     /* the request is for all frames before this one */
    uint64_t since;   /* time of the request */
    uint64_t arrived; /* bytes acknowledged at that time */
};

/* max_bytes: limit of the payload bytes between two requests; several frames at least. */
struct pace pace_make(uint32_t frame_bytes, uint32_t max_bytes, uint64_t slow_tsc);

/* The sender is requesting an acknowledgement of all frames before seq. arrived: bytes acknowledged so far. */
static inline void pace_ack_requested(struct pace *pace, uint32_t seq, uint64_t arrived, uint64_t now)
{
    if (pace->measuring) {
        return;
    }
    pace->measuring = true;
    pace->seq = seq;
    pace->since = now;
    pace->arrived = arrived;
}

/* Adapt the distance. Call it after processing acknowledgements. base: all frames before it are acknowledged. */
void pace_adapt(struct pace *pace, uint32_t base, uint64_t arrived, uint64_t now);

#endif
