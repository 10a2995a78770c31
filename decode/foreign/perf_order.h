/*
 * Several buffers as one trace: a program goes from CPU to CPU. What stands between two PSBs of a buffer stays
 * together; these come in the order of their TSCs. Where another buffer's follow, there is a gap without bytes, and
 * before it the PSB+ that came next in the first buffer: it tells up to where execution went.
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

/* Put them into foreign's packets and gaps. false: no memory. Pure. */
bool perf_order(struct foreign *foreign, const struct perf_ordered *buffers, size_t nr_buffers);

#endif
