/*
 * The round-trip time between a request for an acknowledgement and its answer, and the retransmission timeout that
 * follows from it. Core. Times are TSC ticks.
 *
 * Source: RFC 6298, whose names these are: SRTT, RTTVAR, RTO, G. An acknowledgement repeats the number of its request
 * (frame.h), so that each sample measures one transmission; Karn's rule is not needed. G is not the resolution of the
 * TSC, but how late a receiver may be because of its scheduler: 2 ms.
 */
#ifndef SERIAL_WIRE_RTT_H
#define SERIAL_WIRE_RTT_H

#include <stdint.h>

struct rtt {
    uint64_t srtt, rttvar; /* both 0 before the first sample */
    uint64_t shortest;     /* the shortest sample; UINT64_MAX before the first */
    uint64_t granularity;  /* G */
    uint64_t rto;
};

/* tsc_hz: ticks per second. Before the first sample RTO is 200 ms: it costs no more than one frame if that is too
 * short (flight.h). */
struct rtt rtt_make(uint64_t tsc_hz);

/* An answer has taken this many ticks. */
void rtt_sample(struct rtt *rtt, uint64_t ticks);

#endif
