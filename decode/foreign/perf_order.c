#include "decode/foreign/perf_order.h"

#include <stdlib.h>

#include "decode/capture/psb.h"
#include "decode/flow/flow_cut.h"
#include "decode/foreign/perf_packets.h"
#include "pt/packet/packet.h"

/* The next stretch of a buffer: from at to end, where the next PSB is. */
struct cursor {
    const struct perf_ordered *buffer;
    uint64_t at, end, tsc;
    size_t gap;
};

/* A PSB+ without a TSC counts as no later than the one before. */
static void find_next(struct cursor *cursor)
{
    const struct foreign_file *packets = &cursor->buffer->packets;
    const uint64_t psb = psb_next(packets->bytes, packets->size, cursor->at);
    const uint64_t next = psb == PSB_NONE ? PSB_NONE : psb_next(packets->bytes, packets->size, psb + PSB_BYTES);
    const uint64_t tsc = psb == PSB_NONE ? 0 : flow_cut_tsc(packets->bytes, packets->size, psb);
    cursor->end = next == PSB_NONE ? packets->size : next;
    cursor->tsc = tsc ? tsc : cursor->tsc;
}

static struct cursor *find_first(struct cursor *cursors, size_t count)
{
    struct cursor *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (cursors[i].at < cursors[i].buffer->packets.size && (!first || cursors[i].tsc < first->tsc))
            first = &cursors[i];
    return first;
}

static bool take(struct foreign *foreign, struct cursor *cursor)
{
    const struct gaps *gaps = &cursor->buffer->gaps;
    for (; cursor->gap < gaps->count && gaps->items[cursor->gap].at < cursor->end; cursor->gap++) {
        struct record_gap gap = gaps->items[cursor->gap];
        gap.at = gap.at - cursor->at + foreign->packets.size;
        if (!perf_packets_gap(&foreign->trace, gap))
            return false;
    }
    if (!perf_packets_append(&foreign->packets, cursor->buffer->packets.bytes + cursor->at, cursor->end - cursor->at))
        return false;
    cursor->at = cursor->end;
    find_next(cursor);
    return true;
}

/* The end of the PSB+ at this offset. */
static uint64_t header_end(const struct foreign_file *packets, uint64_t at)
{
    struct packet packet = {.kind = PT_PACKET_PAD};
    while (at < packets->size && packet.kind != PT_PACKET_PSBEND && packet.kind != PT_PACKET_OVF) {
        const int size = packet_parse(&packet, packets->bytes + at, packets->size - (size_t)at);
        if (size <= 0)
            break;
        at += (uint64_t)size;
    }
    return at;
}

/* A stretch of another buffer follows the last one of this cursor. If the cursor has a gap at its next PSB, the copy of
 * its PSB+ is not needed. */
static bool leave(struct foreign *foreign, const struct cursor *cursor)
{
    const struct foreign_file *packets = &cursor->buffer->packets;
    const struct gaps *gaps = &cursor->buffer->gaps;
    const bool gap = cursor->gap < gaps->count && gaps->items[cursor->gap].at == cursor->at;
    if (!gap && !perf_packets_append(&foreign->packets, packets->bytes + cursor->at,
                                     header_end(packets, cursor->at) - cursor->at))
        return false;
    return perf_packets_gap(&foreign->trace, (struct record_gap){.at = foreign->packets.size});
}

bool perf_order(struct foreign *foreign, const struct perf_ordered *buffers, size_t nr_buffers)
{
    struct cursor *cursors = calloc(nr_buffers + 1, sizeof(*cursors));
    const struct cursor *last = NULL;
    struct cursor *first;
    bool good = cursors != NULL;
    for (size_t i = 0; i < nr_buffers && good; i++) {
        cursors[i].buffer = &buffers[i];
        find_next(&cursors[i]);
    }
    while (good && (first = find_first(cursors, nr_buffers))) {
        good = (!last || last == first || leave(foreign, last)) && take(foreign, first);
        last = first;
    }
    free(cursors);
    return good;
}
