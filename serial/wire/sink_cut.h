/*
 * A channel that nobody answers: how long root waits for it, and what becomes of it then.
 *
 * Root may wait for the wire: for room for a record, or for a free trace region. Where nothing at all is acknowledged
 * for as long as its patience, the channel is cut, once and for good: what it has taken up to then it keeps trying to
 * deliver, trace it takes no more, and records only as far as there is room. So what arrives in the end is complete up
 * to a place in each CPU's trace, and nobody waits any more. Core.
 */
#ifndef SERIAL_WIRE_SINK_CUT_H
#define SERIAL_WIRE_SINK_CUT_H

#include "serial/wire/sink.h"

struct sink_cut {
    const struct sink_ops *whole; /* the operations before */
    struct sink_ops ops;          /* ... and after */
    uint64_t patience;            /* TSC ticks */
    uint64_t usual, hasty;        /* what it is, and where the receiver may have gone: sink_hurry */
    const uint64_t *arrived;      /* bytes acknowledged up to now */
    uint64_t (*taken)(const struct sink *sink, uint16_t cpu);
    uint64_t seen, since; /* so many had arrived, and had since then */
    uint64_t waited;      /* when somebody waited last */
    uint64_t lost;        /* records that found no room */
};

/* From now on the sink can be cut. arrived: what changes when anything is acknowledged. taken: the trace offset behind
 * the last byte that the channel was given of a CPU. cut->hasty is patience, unless the caller makes it less. */
void sink_cut_init(struct sink *sink, struct sink_cut *cut, uint64_t patience, const uint64_t *arrived,
                   uint64_t (*taken)(const struct sink *sink, uint16_t cpu));

/* Somebody waits for the wire, behind a poll that was of no use: to be called again and again. */
void sink_wait(struct sink *sink);

/* The receiver has been told of the end, which is none: it may be gone. So nobody waits for longer than the channel's
 * hasty patience until something is acknowledged again. */
void sink_hurry(struct sink *sink);

static inline bool sink_is_cut(const struct sink *sink)
{
    return sink->cut != NULL && sink->ops == &sink->cut->ops;
}

/* How long it is worth to wait for an answer: most, or as long as its patience is, if that is less. */
uint64_t sink_patience(const struct sink *sink, uint64_t most);

#endif
