/*
 * The sender's acknowledgement window: frames on the way, what may be forgotten, what must be sent again.
 *
 * Frames are numbered by seq across all streams. The window keeps one slot per frame on the way, at seq modulo its
 * size, so nothing is searched. Neighbouring frames of one stream form a run; an acknowledgement walks runs, not
 * frames.
 *
 * Sending again: a frame that an acknowledgement shows missing is sent again at once, but only once; whatever is still
 * missing when no progress was made for a timeout is sent again in bursts that double with each answer. docs/wire.md.
 *
 * Core. Times are TSC ticks, given by the caller.
 */
#ifndef SERIAL_WINDOW_H
#define SERIAL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/frame.h"

#define WINDOW_FIRST_BURST 64u
#define WINDOW_MAX_BACKOFF 5u /* the timeout doubles up to 32 times */

struct window_slot {
    uint64_t offset; /* of the first payload byte in its stream */
    uint64_t pa;     /* where the payload lies */
    uint32_t run;    /* seq of the first frame of the run that this one is in */
    uint16_t length; /* payload bytes */
    uint16_t stream; /* index into released[] */
    bool acked;      /* has arrived although an earlier one has not */
    bool resent;     /* since the last timeout */
};

struct window {
    struct window_slot *slots;
    uint64_t *released; /* per stream: all bytes before this offset are acknowledged */
    uint32_t size;      /* slots: a power of two */
    uint32_t base;      /* oldest frame not acknowledged */
    uint32_t next;      /* number of the next new frame */
    uint32_t last_run;  /* the run of frame next - 1 */
    uint16_t last_stream;

    uint32_t resend_next, resend_end; /* frames to look at for sending again */
    uint32_t recover;                 /* frames before this one were on the way when a loss was noticed */
    uint32_t burst;

    uint64_t timeout;     /* ticks without progress after which frames are sent again */
    uint64_t timer_start; /* when progress was last made */
    uint32_t backoff;     /* timeout << backoff is what is waited */

    uint64_t nr_resent, nr_timeouts;
};

/* slots: size of them, a power of two; released: nr_streams of them. timeout in ticks. */
void window_init(struct window *w, struct window_slot *slots, uint32_t size, uint64_t *released, uint32_t nr_streams,
                 uint64_t timeout);

/* How many new frames may be sent. */
static inline uint32_t window_space(const struct window *w)
{
    return w->size - (w->next - w->base);
}

static inline bool window_empty(const struct window *w)
{
    return w->next == w->base;
}

static inline struct window_slot *window_slot(const struct window *w, uint32_t seq)
{
    return &w->slots[seq & (w->size - 1)];
}

/* New frames of a stream are about to be sent, at most as many as there is space for: starts the timer where nothing is
 * on the way, and a new run where the stream changes or the run gets long (numbers wrap). */
static inline void window_begin(struct window *w, uint16_t stream, uint64_t now)
{
    if (window_empty(w)) {
        w->timer_start = now;
    }
    if (stream != w->last_stream || w->next - w->last_run >= w->size) {
        w->last_run = w->next;
    }
    w->last_stream = stream;
}

/* Note the next new frame, of the stream that window_begin named; the caller knows that there is space. Returns its
 * seq. */
static inline uint32_t window_push(struct window *w, uint64_t offset, uint64_t pa, uint16_t length)
{
    uint32_t seq = w->next++;
    struct window_slot *slot = window_slot(w, seq);

    slot->offset = offset;
    slot->pa = pa;
    slot->run = w->last_run;
    slot->length = length;
    slot->stream = w->last_stream;
    slot->acked = false;
    slot->resent = false;
    return seq;
}

/* Take in an acknowledgement: all frames before seq have arrived, and those in ack's bits. false: it does not fit what
 * is on the way (late, or another's) and changed nothing. */
bool window_ack(struct window *w, uint32_t seq, const struct frame_ack *ack, uint64_t now);

/* Look at the timer; sets up sending again where it ran out. */
void window_check_timeout(struct window *w, uint64_t now);

/* The next frame to send again, or false. The caller sends it if it gets one. */
bool window_resend(struct window *w, uint32_t *seq);

#endif
