/*
 * Cutting off a channel that makes no progress.
 *
 * Root mode waits for the channel if there is no room for a record, or no free trace region. If there is no progress
 * for the time of its patience, the channel is cut, permanently: it continues to send what it has, discards new trace,
 * and takes records only if there is room. So the receiver gets a trace that is complete up to a position on each CPU,
 * and root mode does not wait any longer. Core.
 */
#ifndef SERIAL_WIRE_SINK_CUT_H
#define SERIAL_WIRE_SINK_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/sink.h"

#define SINK_CUT_CPUS 64u

/* How long one CPU has been waiting, by its own TSC: the TSCs of CPUs may differ. */
struct sink_cut_wait {
    uint64_t since;
    uint64_t last;     /* call of sink_wait */
    uint64_t progress; /* of struct sink_cut, when it began */
};

struct sink_cut {
    const struct sink_ops *whole; /* the operations before the cut */
    struct sink_ops ops;          /* the operations after it */
    uint64_t patience;            /* TSC ticks: either usual or hasty */
    uint64_t usual, hasty;        /* hasty applies while the receiver may have exited: sink_hurry */
    const uint64_t *arrived;      /* bytes acknowledged so far */
    uint64_t (*taken)(const struct sink *sink, uint16_t cpu);
    uint64_t seen;     /* *arrived at the last call */
    uint64_t counted;  /* *arrived at the last progress */
    uint64_t least;    /* bytes that are progress, in the time of the usual patience */
    uint64_t progress; /* counts each progress: then waits begin again */
    uint64_t lost;     /* records for which there was no room */
    struct sink_cut_wait waits[SINK_CUT_CPUS];
};

/* Allow the sink to be cut. arrived: a counter of acknowledged bytes. taken: returns the trace offset of the end of the
 * bytes that the channel has taken from a CPU. cut->hasty becomes patience, which the caller may lower, and cut->least
 * one byte, which it may raise: a receiver that acknowledges a few bytes now and then must not stop the guest for ever.
 */
void sink_cut_init(struct sink *sink, struct sink_cut *cut, uint64_t patience, const uint64_t *arrived,
                   uint64_t (*taken)(const struct sink *sink, uint16_t cpu));

/* A CPU (below SINK_CUT_CPUS) waits, now by its TSC: is the patience exhausted? If it has not waited for a while, a new
 * wait begins. The sink's lock is held. */
bool sink_cut_is_due(struct sink_cut *cut, uint16_t cpu, uint64_t now);

/* Call it repeatedly while waiting for the channel, after each poll without success. It cuts the channel when the
 * patience is exhausted. */
void sink_wait(struct sink *sink, uint16_t cpu);

/* END was sent, but the guest runs on, and the receiver may have exited. Until there is an acknowledgement again, wait
 * no longer than the hasty patience. */
void sink_hurry(struct sink *sink);

static inline bool sink_is_cut(const struct sink *sink)
{
    return sink->cut != NULL && sink->ops == &sink->cut->ops;
}

/* How many bytes count as progress in so many ticks. */
uint64_t sink_least(const struct sink *sink, uint64_t ticks);

/* The time to wait for an answer: most, or the channel's patience if that is less. */
uint64_t sink_patience(const struct sink *sink, uint64_t most);

#endif
