#include "decode/foreign/perf_parts.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/capture/psb.h"
#include "decode/foreign/perf_packets.h"
#include "decode/foreign/perf_sample.h"

#define GAP_BYTES 16u /* zeros that are inserted between parts that do not follow each other */
#define PART_BYTES 8u /* perf rounds the size of a part up to a multiple of this */
#define AUX_TRUNCATED 1u

/* Offsets within a record. */
enum { AUX_OFFSET = 0, AUX_SIZE = 8, AUX_FLAGS = 16 };                                   /* AUX */
enum { AUXTRACE_OFFSET = 8, AUXTRACE_INDEX = 24, AUXTRACE_TID = 28, AUXTRACE_CPU = 32 }; /* AUXTRACE */

/* Offsets in the buffer at which the driver ran out of room and tracing stopped for a while. */
struct stops {
    uint64_t *items;
    size_t count, room;
};

static int compare_offsets(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static bool collect_stops(struct stops *stops, struct perf_file perf, const char *name,
                          const struct perf_buffer *buffer, struct error *error)
{
    struct perf_record record;
    while (perf_file_next(&record, &perf, name, error)) {
        size_t size;
        if (record.type != PERF_AUX || !(perf_64(&record, AUX_FLAGS) & AUX_TRUNCATED))
            continue;
        const struct perf_sample_id id = perf_file_sample_id(&perf, &record, &size);
        if (buffer->cpu != UINT32_MAX ? id.cpu != buffer->cpu : id.tid != buffer->tid)
            continue;
        void *items = stops->items;
        uint64_t *place = list_add(&items, &stops->count, &stops->room, sizeof(*place));
        stops->items = items;
        if (!place)
            return error_set(error, ERROR_MEMORY, 0, "%s", name);
        *place = perf_64(&record, AUX_OFFSET) + perf_64(&record, AUX_SIZE);
    }
    if (stops->count)
        qsort(stops->items, stops->count, sizeof(*stops->items), compare_offsets);
    return error->kind == ERROR_NONE;
}

static bool append_gap(struct foreign *foreign)
{
    return foreign->packets.size == 0 ||
           (perf_packets_gap(
                &foreign->trace,
                (struct record_gap){.at = foreign->packets.size, .size = GAP_BYTES, .cause = RECORD_GAP_RING}) &&
            perf_packets_append(&foreign->packets, NULL, GAP_BYTES));
}

/* The number of bytes at the start of a snapshot that the one before it also has; 0: none. If both contain the same
 * PSB, the bytes from it to the end of the earlier one are equal. */
static uint64_t count_shared(const uint8_t *before, uint64_t before_size, const uint8_t *bytes, uint64_t size)
{
    const uint64_t psb = psb_next(bytes, size, 0);
    if (psb == PSB_NONE)
        return 0;
    for (uint64_t at = psb_next(before, before_size, 0); at != PSB_NONE; at = psb_next(before, before_size, at + 1)) {
        const uint64_t shared = before_size - at;
        if (shared <= size - psb && !memcmp(before + at, bytes + psb, (size_t)shared))
            return psb + shared;
    }
    return 0;
}

/* Append the next part of the buffer, after a gap if it does not follow the one before. *next: the offset in the buffer
 * at which a part would follow. */
static bool take_part(struct foreign *foreign, const struct perf_record *record, const struct stops *stops,
                      uint64_t *next)
{
    const uint64_t offset = perf_64(record, AUXTRACE_OFFSET), end = offset + record->data_size;
    if (offset < *next && *next - offset < PART_BYTES && *next - offset <= foreign->packets.size)
        foreign->packets.size -= (size_t)(*next - offset); /* drop the filling of the part before */
    else if (offset != *next && !append_gap(foreign))
        return false;
    for (size_t i = 0; i < stops->count; i++)
        if (stops->items[i] > offset && stops->items[i] <= end &&
            !perf_packets_gap(&foreign->trace,
                              (struct record_gap){.at = foreign->packets.size + (stops->items[i] - offset),
                                                  .cause = RECORD_GAP_STOPPED}))
            return false;
    *next = end;
    return perf_packets_append(&foreign->packets, record->data, record->data_size);
}

/* *last: the offset of the snapshot before. */
static bool take_snapshot(struct foreign *foreign, const uint8_t *bytes, uint64_t size, size_t *last)
{
    const struct foreign_file *packets = &foreign->packets;
    const uint64_t shared =
        packets->size ? count_shared(packets->bytes + *last, packets->size - *last, bytes, size) : 0;
    if (shared == 0 && !append_gap(foreign))
        return false;
    *last = packets->size;
    return perf_packets_append(&foreign->packets, bytes + shared, size - shared);
}

bool perf_parts_take(struct foreign *foreign, const struct perf_file *perf, const char *name,
                     const struct perf_buffer *buffer, struct error *error)
{
    struct perf_file records = *perf;
    struct perf_record record;
    struct stops stops = {0};
    uint64_t next = 0;
    size_t last = 0;
    bool good = collect_stops(&stops, *perf, name, buffer, error);
    while (good && perf_file_next(&record, &records, name, error)) {
        struct perf_sample sample;
        if (buffer->samples && perf_sample_read(&sample, perf, &record) && sample.index == buffer->index)
            good = take_snapshot(foreign, sample.bytes, sample.size, &last);
        if (record.type == PERF_AUXTRACE && !buffer->samples && perf_32(&record, AUXTRACE_INDEX) == buffer->index)
            good = buffer->snapshots ? take_snapshot(foreign, record.data, record.data_size, &last)
                                     : take_part(foreign, &record, &stops, &next);
        good = good || error_set(error, ERROR_MEMORY, 0, "%s", name);
    }
    free(stops.items);
    return good && error->kind == ERROR_NONE;
}
