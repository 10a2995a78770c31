/*
 * What is in flight: the frames (window.h), the requests for acknowledgements, and what their answers say about the
 * wire: the round-trip time (rtt.h), the throughput (pace.h), and which frames are lost.
 *
 * The sender requests acknowledgements often enough that answers show all losses. If a request or its answer is lost,
 * a later one takes its place. If no answer comes in time, two frames are sent again, which request one: as in QUIC
 * (RFC 9002, "Probe Timeout"), silence by itself is no loss. The time doubles until there is an answer, as RFC 6298,
 * section 5, says. It begins with RTO, or less if little is in flight: RTO is the time with a full queue on the way.
 * Since a probe costs little, it may be too early now and then. docs/wire.md is the specification.
 *
 * Core. Times are TSC ticks. Those of several CPUs agree only nearly: now may be slightly less than at an earlier call.
 */
#ifndef SERIAL_WIRE_FLIGHT_H
#define SERIAL_WIRE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/frame.h"
#include "serial/wire/pace.h"
#include "serial/wire/rtt.h"
#include "serial/wire/window.h"

#define FLIGHT_REQUESTS 128u /* a power of two: answers to older requests are only acknowledgements */

struct flight_request {
    struct window_sent sent;
    uint64_t time;
    uint32_t sent_bytes; /* until then, this frame included, modulo 2^32 */
    uint32_t in_flight;  /* bytes */
    uint64_t since;      /* these bytes were sent, or arrived, from this time on */
    uint32_t nr_lost;    /* the window's */
};

struct flight {
    struct window window;
    struct rtt rtt;
    struct pace pace;
    struct flight_request requests[FLIGHT_REQUESTS]; /* [number modulo FLIGHT_REQUESTS] */
    uint32_t requested;                              /* number of the next request */
    uint32_t answered;                               /* all requests before this one are answered, or too old */
    uint32_t sent_bytes;   /* payload bytes, those that were sent again included, modulo 2^32 */
    uint32_t landed_bytes; /* ... of frames that have arrived or are lost */
    uint64_t since;        /* the last answer, or the request when nothing was in flight */
    uint64_t deadline;     /* for an answer, if is_waiting */
    bool is_waiting;
    bool may_resend; /* there can be frames to be sent again */
    uint32_t probes; /* frames that are to be sent again, although too many may be in flight */
    uint32_t backoff;
    uint64_t short_timeout; /* while little is in flight */
    uint64_t timeout_most;  /* 250 ms: RTO doubles up to this, unless it is longer by itself */
    uint64_t nr_timeouts;
};

/* Payload of a full frame, and the most payload bytes between two requests. */
void flight_init(struct flight *f, uint32_t frame_bytes, uint32_t max_bytes, uint64_t tsc_hz,
                 const struct window_memory *memory, uint64_t *released, uint32_t nr_streams);

/* Payload bytes in flight. */
static inline uint32_t flight_bytes(const struct flight *f)
{
    return f->sent_bytes - f->landed_bytes;
}

/* Payload bytes that may be sent now. */
static inline uint32_t flight_room(const struct flight *f)
{
    return flight_bytes(f) < f->pace.limit ? f->pace.limit - flight_bytes(f) : 0;
}

/* Is a request unanswered? */
static inline bool flight_is_answer_due(const struct flight *f)
{
    return f->requested != f->answered;
}

/* The sender is requesting an acknowledgement of all frames so far. Returns the flags of the frame. */
uint16_t flight_request(struct flight *f, uint64_t now);

/* Get the next frame to be sent again, as a run of one. false: there is none, or too many are in flight. */
bool flight_resend(struct flight *f, struct window_run *frame);

/* Process an acknowledgement, of which header->length bytes are at ack. false: late or foreign, and nothing has
 * changed.
 */
bool flight_answer(struct flight *f, const struct frame_header *header, const struct frame_ack *ack, uint64_t now);

/* No answer came in time: send a frame again. */
void flight_timeout(struct flight *f, uint64_t now);

/* One frame is to be sent again although none is lost. */
static inline void flight_probe(struct flight *f)
{
    f->probes = 1;
    f->may_resend = true;
}

/* Call it for each poll, after processing answers. */
static inline void flight_polled(struct flight *f, uint64_t now)
{
    f->pace.polled = now;
    if (f->is_waiting && (int64_t)(now - f->deadline) >= 0) {
        flight_timeout(f, now);
    }
}

#endif
