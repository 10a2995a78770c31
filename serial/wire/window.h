/*
 * The sender's acknowledgement window: the frames in flight, which bytes are acknowledged, which frames to retransmit.
 *
 * Frames are numbered by seq across all streams. Frames that are cut from one piece of memory at once form a run. The
 * window stores runs, so that a frame has no cost of its own. Individual frames matter only after a loss; then each has
 * a byte of marks, at seq modulo the window's size.
 *
 * Retransmission: a frame that an acknowledgement shows to be missing is sent again at once, but only once. Frames that
 * are still missing after a timeout without progress are sent again in bursts, whose size doubles with each answer. The
 * timer runs while a requested acknowledgement has not arrived. docs/wire.md is the specification.
 *
 * Core. Times are TSC ticks, passed by the caller.
 */
#ifndef SERIAL_WIRE_WINDOW_H
#define SERIAL_WIRE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/frame.h"

#define WINDOW_FIRST_BURST 64u
#define WINDOW_MAX_BACKOFF 5u /* the timeout doubles up to 32 times */

/* Frames with consecutive numbers, whose payloads are adjacent in their stream and in memory. */
struct window_run {
    uint64_t offset; /* of the first payload byte in the stream */
    uint64_t pa;     /* physical address of that byte */
    uint32_t first;  /* seq of the first frame */
    uint32_t frames;
    uint32_t bytes;  /* payload bytes of all frames */
    uint16_t length; /* payload bytes of each frame except the last, which has the rest */
    uint16_t stream; /* index into released[] */
};

struct window {
    struct window_run *runs; /* [number modulo size]; there are never more runs than frames */
    uint8_t *marks;          /* per frame in flight; all 0 unless marked */
    uint64_t *released;      /* per stream: all bytes before this offset are acknowledged */
    uint32_t size;           /* frames: a power of two */
    uint32_t base;           /* the oldest unacknowledged frame */
    uint32_t next;           /* number of the next new frame */
    uint32_t oldest_run;     /* the run that contains base */
    uint32_t next_run;
    bool marked;
    uint64_t arrived; /* acknowledged bytes of all streams */

    uint32_t resend_next, resend_end; /* candidates for retransmission */
    uint32_t recover;                 /* frames before this one were in flight when a loss was noticed */
    uint32_t burst;                   /* candidates after the next answer */

    uint32_t requested;   /* an acknowledgement was requested for frames before this one */
    uint64_t timeout;     /* ticks without progress before frames are sent again */
    uint64_t timer_start; /* time of the last progress, or of the request that started the timer */
    uint32_t backoff;     /* the current timeout is timeout << backoff */

    uint64_t nr_resent, nr_timeouts;
};

/* runs and marks have size elements, a power of two; released has nr_streams. timeout is in ticks. */
void window_init(struct window *w, struct window_run *runs, uint8_t *marks, uint32_t size, uint64_t *released,
                 uint32_t nr_streams, uint64_t timeout);

/* The number of new frames that may be sent. */
static inline uint32_t window_space(const struct window *w)
{
    return w->size - (w->next - w->base);
}

static inline bool window_empty(const struct window *w)
{
    return w->next == w->base;
}

/* Add a run of new frames: at least one, at most window_space. Sets first and frames; the caller sets the other
 * members.
 */
static inline struct window_run *window_push(struct window *w, uint32_t frames)
{
    struct window_run *run = &w->runs[w->next_run++ & (w->size - 1)];

    run->first = w->next;
    run->frames = frames;
    w->next += frames;
    return run;
}

/* The sender is requesting an acknowledgement of all frames so far. */
void window_ack_requested(struct window *w, uint64_t now);

/* Process an acknowledgement: all frames before seq have arrived, and those in ack's bits. false: seq is not in flight
 * (the acknowledgement is late, or foreign), and nothing has changed. */
bool window_ack(struct window *w, uint32_t seq, const struct frame_ack *ack, uint64_t now);

/* Start retransmissions if the timer has expired. */
void window_check_timeout(struct window *w, uint64_t now);

/* A frame in flight, as a run of one. */
struct window_run window_frame(const struct window *w, uint32_t seq);

/* Can there be frames to retransmit? */
static inline bool window_resends(const struct window *w)
{
    return w->resend_next != w->resend_end;
}

/* Get the next frame to retransmit, as a run of one. false: there is none. It counts as sent. */
bool window_resend(struct window *w, struct window_run *frame);

#endif
