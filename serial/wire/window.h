/*
 * The sender's acknowledgement window: the frames in flight, which bytes are acknowledged, which frames to retransmit.
 *
 * Frames are numbered by seq across all streams. Frames that are cut from one piece of memory at once form a run. The
 * window stores runs, so that a frame has no cost of its own. Individual frames matter only after a loss; then each has
 * a byte of marks, at seq modulo the window's size.
 *
 * Loss: an acknowledgement shows which frames had arrived when its request did. A frame that was sent at least three
 * frames earlier and is missing is lost, and is sent again, as often as necessary. (RFC 5681 and RFC 9002 use the same
 * number, which allows for some reordering.) If a frame arrives that was wrongly taken for lost, the number is doubled.
 * The newest acknowledgement counts: a receiver that was started again has forgotten the frames that it held.
 * docs/wire.md is the specification.
 *
 * Core.
 */
#ifndef SERIAL_WIRE_WINDOW_H
#define SERIAL_WIRE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/frame.h"

#define WINDOW_REORDER 3u /* a frame is lost if it is missing and so many later ones were sent before the request */
#define WINDOW_MOST_REORDER 96u

/* Frames with consecutive numbers, whose payloads are adjacent in their stream and in memory. A compressed frame is a
 * run by itself, which has more bytes than its length. */
struct window_run {
    uint64_t offset; /* of the first payload byte in the stream */
    uint64_t pa;     /* physical address of that byte; of the payload, if it is compressed */
    uint32_t first;  /* seq of the first frame */
    uint32_t frames;
    uint32_t bytes;  /* of the stream, in all frames */
    uint16_t length; /* payload bytes of each frame except the last, which has the rest */
    uint16_t stream; /* index into released[] */
};

static inline bool window_is_packed(const struct window_run *run)
{
    return run->frames == 1 && run->bytes > run->length;
}

struct window {
    struct window_run *runs; /* [number modulo size]; there are never more runs than frames */
    uint8_t *marks;          /* per frame in flight; all 0 unless marked */
    uint32_t *resent;        /* per frame in flight that was sent again: window_transmissions before that */
    uint64_t *released;      /* per stream: all bytes before this offset are acknowledged */
    uint32_t size;           /* frames: a power of two */
    uint32_t base;           /* the oldest unacknowledged frame */
    uint32_t next;           /* number of the next new frame */
    uint32_t oldest_run;     /* the run that contains base */
    uint32_t next_run;
    uint32_t lost_from, lost_end; /* lost frames are among these */
    uint32_t marks_end;           /* frames from this one on have no marks; so has none if this is not after base */
    uint32_t reorder;
    uint64_t arrived; /* acknowledged bytes of all streams */
    uint32_t nr_lost, nr_resent;
};

/* What had been sent when an acknowledgement was requested. */
struct window_sent {
    uint32_t next;          /* all new frames before this one */
    uint32_t transmissions; /* window_transmissions */
};

/* The arrays have size elements, a power of two; released has nr_streams. */
struct window_memory {
    struct window_run *runs;
    uint8_t *marks;
    uint32_t *resent;
    uint32_t size;
};
void window_init(struct window *w, const struct window_memory *memory, uint64_t *released, uint32_t nr_streams);

/* The first frame has this number, and not 0. */
void window_begin_at(struct window *w, uint32_t seq);

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

/* Frames sent so far, those that were sent again included, modulo 2^32. */
static inline uint32_t window_transmissions(const struct window *w)
{
    return w->next + w->nr_resent;
}

/* Process an acknowledgement: all frames before seq have arrived, and those in the first words of ack. sent: when it
 * was requested; NULL: unknown, so that no frame can be taken for lost. false: seq is not in flight (the
 * acknowledgement is late, or foreign), and nothing has changed. */
struct window_arrived {
    uint32_t seq, words;
    const struct frame_ack *ack;
};
bool window_ack(struct window *w, const struct window_arrived *arrived, const struct window_sent *sent);

/* No more answers are to be expected: all missing frames that had been sent then are lost. */
void window_lose(struct window *w, const struct window_sent *sent);

/* A frame in flight, as a run of one. */
struct window_run window_frame(const struct window *w, uint32_t seq);

/* Can there be lost frames? */
static inline bool window_has_lost(const struct window *w)
{
    return w->lost_from != w->lost_end;
}

/* Get the next lost frame, as a run of one. false: there is none. It counts as sent again. */
bool window_resend(struct window *w, struct window_run *frame);

/* Get a frame that is not known to have arrived, as a run of one: the oldest or the newest. The window must not be
 * empty. It counts as sent again. */
struct window_run window_repeat(struct window *w, bool newest);

#endif
