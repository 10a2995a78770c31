/*
 * The sender's acknowledgement window: frames on the way, what may be forgotten, what must be sent again.
 *
 * Frames are numbered by seq across all streams. Those that are cut from one piece of memory at once are a run: the
 * window remembers runs, so that a frame costs nothing of its own. Only where frames are lost are they looked at one by
 * one; each has a byte of marks then, at seq modulo the window's size.
 *
 * Sending again: a frame that an acknowledgement shows missing is sent again at once, but only once; whatever is still
 * missing when no progress was made for a timeout is sent again in bursts that double with each answer. The timeout
 * runs while an acknowledgement is due that was asked for. docs/wire.md.
 *
 * Core. Times are TSC ticks, given by the caller.
 */
#ifndef SERIAL_WIRE_WINDOW_H
#define SERIAL_WIRE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/frame.h"

#define WINDOW_FIRST_BURST 64u
#define WINDOW_MAX_BACKOFF 5u /* the timeout doubles up to 32 times */

/* Frames that follow each other in number, in their stream and in memory. */
struct window_run {
    uint64_t offset; /* of the first payload byte in the stream */
    uint64_t pa;     /* where it lies */
    uint32_t first;  /* seq of the first frame */
    uint32_t frames;
    uint32_t bytes;  /* payload of all frames */
    uint16_t length; /* payload of each frame but the last, which has the rest */
    uint16_t stream; /* index into released[] */
};

struct window {
    struct window_run *runs; /* [number modulo size]; no more than frames */
    uint8_t *marks;          /* per frame on the way; all 0 unless marked */
    uint64_t *released;      /* per stream: all bytes before this offset are acknowledged */
    uint32_t size;           /* frames: a power of two */
    uint32_t base;           /* oldest frame not acknowledged */
    uint32_t next;           /* number of the next new frame */
    uint32_t oldest_run;     /* holds base */
    uint32_t next_run;
    bool marked;
    uint64_t arrived; /* bytes acknowledged, of all streams */

    uint32_t resend_next, resend_end; /* frames to look at for sending again */
    uint32_t recover;                 /* frames before this one were on the way when a loss was noticed */
    uint32_t burst;

    uint32_t asked;       /* for frames before this one an acknowledgement was asked */
    uint64_t timeout;     /* ticks without progress after which frames are sent again */
    uint64_t timer_start; /* when progress was last made, or an answer began to be due */
    uint32_t backoff;     /* timeout << backoff is what is waited */

    uint64_t nr_resent, nr_timeouts;
};

/* runs, marks: size of them, a power of two; released: nr_streams of them. timeout in ticks. */
void window_init(struct window *w, struct window_run *runs, uint8_t *marks, uint32_t size, uint64_t *released,
                 uint32_t nr_streams, uint64_t timeout);

/* How many new frames may be sent. */
static inline uint32_t window_space(const struct window *w)
{
    return w->size - (w->next - w->base);
}

static inline bool window_empty(const struct window *w)
{
    return w->next == w->base;
}

/* New frames, at most as many as there is space for, at least one: a run whose first and frames are filled in, the rest
 * is for the caller to fill in. */
static inline struct window_run *window_push(struct window *w, uint32_t frames)
{
    struct window_run *run = &w->runs[w->next_run++ & (w->size - 1)];

    run->first = w->next;
    run->frames = frames;
    w->next += frames;
    return run;
}

/* An acknowledgement of all frames up to now is being asked for. */
void window_asked(struct window *w, uint64_t now);

/* Take in an acknowledgement: all frames before seq have arrived, and those in ack's bits. false: it does not fit what
 * is on the way (late, or another's) and changed nothing. */
bool window_ack(struct window *w, uint32_t seq, const struct frame_ack *ack, uint64_t now);

/* Look at the timer; sets up sending again where it ran out. */
void window_check_timeout(struct window *w, uint64_t now);

/* A frame that is on the way, as a run of one. */
struct window_run window_frame(const struct window *w, uint32_t seq);

/* May there be frames to send again? */
static inline bool window_resends(const struct window *w)
{
    return w->resend_next != w->resend_end;
}

/* The next frame to send again, as a run of one, or false. The caller sends it if it gets one. */
bool window_resend(struct window *w, struct window_run *frame);

#endif
