/*
 * Joins several buffers into one trace, for programs that move between CPUs. Each stretch from one PSB to the next
 * stays whole, and the stretches are ordered by TSC. At a change to another buffer a gap of size 0 is inserted, and
 * before it a copy of the PSB+ that follows in the first buffer: its FUP shows how far execution went.
 */
#ifndef DECODE_FOREIGN_PERF_ORDER_H
#define DECODE_FOREIGN_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/foreign/foreign_trace.h"

struct perf_ordered {
    struct foreign_file packets;
    struct gaps gaps;
};

/* Append them to foreign's packets and gaps. false: out of memory. Pure. */
bool perf_order(struct foreign *foreign, const struct perf_ordered *buffers, size_t nr_buffers);

#endif
