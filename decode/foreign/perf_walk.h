/* Walks along the packets of perf.data's buffers and keeps the time. Pure. */
#ifndef DECODE_FOREIGN_PERF_WALK_H
#define DECODE_FOREIGN_PERF_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/clock.h"
#include "decode/foreign/foreign_trace.h"
#include "pt/packet/packet.h"

#define PERF_TSC_MASK ((1ull << 56) - 1) /* TSC packets have no more bits */

/* From this TSC on: the program runs. */
struct perf_point {
    uint64_t tsc;
    size_t program;
};

struct perf_walker {
    const uint8_t *bytes;
    uint64_t size, at; /* of the next packet */
    struct packet packet;
    enum packet_block block; /* of the next packet */
    uint64_t packet_at;      /* offset of this one; bytes between the packet before and this one could not be read */
    struct engine_clock clock;
    const struct perf_point *points;
    size_t nr_points, point; /* point: the one that is valid at this packet */
    const struct gaps *gaps;
    size_t gap;              /* the next one */
    enum packet_kind before; /* the kind of this packet, for the next one */
    bool overflown;          /* no packet since the last OVF has the IP at which execution continues */
};

/* points: sorted by tsc, at least one; the first holds before its time too. foreign and points must outlive walker. */
void perf_walk_begin(struct perf_walker *walker, const struct foreign *foreign, const struct perf_point *points,
                     size_t nr_points);

/* The next packet. Bytes that are not a packet are skipped up to a PSB. false: there is none. */
bool perf_walk_next(struct perf_walker *walker);

/* Does user code resume here? Then a point before the next timing packet is valid already: the way from user code
 * through the kernel to the next switch takes longer than that. */
bool perf_walk_resumes(const struct perf_walker *walker);

#endif
