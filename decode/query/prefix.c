#include "decode/query/prefix.h"

#include <stdbool.h>
#include <string.h>

/* The next record at or after *position that affects decoding: it concerns code, or a gap. NULL: there is none. */
static const struct capture_record *next_record(const struct capture *capture, size_t *position)
{
    while (*position < capture->nr_records) {
        const struct capture_record *record = &capture->records[(*position)++];
        switch (record->header.kind) {
        case RECORD_PAGE:
        case RECORD_GAP:
        case RECORD_SEEN:
        case RECORD_MAP:
            return record;
        default:
            break;
        }
    }
    return NULL;
}

static bool is_same(const struct capture_record *a, const struct capture_record *b)
{
    return a && b && a->header.kind == b->header.kind && a->header.cpu == b->header.cpu &&
           a->header.length == b->header.length && a->header.trace_offset == b->header.trace_offset &&
           !memcmp(a->payload, b->payload, a->header.length);
}

/* The trace offset from which on a record affects decoding. */
static uint64_t offset_of(const struct capture_record *record)
{
    uint64_t at = record->header.trace_offset;
    struct record_map map;
    struct record_gap gap;
    if (record->header.kind == RECORD_MAP && record->header.length >= sizeof(map)) {
        memcpy(&map, record->payload, sizeof(map));
        at = map.fault_offset < at ? map.fault_offset : at;
    } else if (record->header.kind == RECORD_GAP && record->header.length >= sizeof(gap)) {
        memcpy(&gap, record->payload, sizeof(gap));
        at = gap.at < at ? gap.at : at;
    }
    return at;
}

/* The lowest offset of the CPU's trace that a remaining record affects. */
static uint64_t lowest(const struct capture *capture, const struct capture_record *record, size_t position,
                       uint16_t cpu)
{
    uint64_t least = UINT64_MAX;
    for (; record; record = next_record(capture, &position)) {
        const uint64_t at = offset_of(record);
        least = record->header.cpu == cpu && at < least ? at : least;
    }
    return least;
}

/* The trace offset up to which the records of both captures are the same for the CPU. */
static uint64_t same_records(const struct capture *a, const struct capture *b, uint16_t cpu)
{
    const struct capture_record *in_a, *in_b;
    size_t at_a = 0, at_b = 0;
    do {
        in_a = next_record(a, &at_a);
        in_b = next_record(b, &at_b);
    } while (is_same(in_a, in_b));
    const uint64_t limit_a = lowest(a, in_a, at_a, cpu), limit_b = lowest(b, in_b, at_b, cpu);
    return limit_a < limit_b ? limit_a : limit_b;
}

/* The CPU's stretches in the index. */
static const struct index_stretch *stretches_of(const struct query_index *index, uint16_t cpu, uint64_t *count)
{
    const struct index_stretch *first = NULL;
    *count = 0;
    for (uint64_t i = 0; i < index->header->counts[INDEX_CHUNKS]; i++) {
        const struct index_chunk *chunk = &index->chunks[i];
        if (chunk->cpu != cpu)
            continue;
        first = first ? first : &index->stretches[chunk->first_stretch];
        *count += chunk->nr_stretches;
    }
    return first;
}

struct prefix prefix_find(const struct indexed_capture *const captures[2], uint16_t cpu)
{
    const struct capture_trace *a = &captures[0]->capture->cpus[cpu], *b = &captures[1]->capture->cpus[cpu];
    const uint64_t size = a->size < b->size ? a->size : b->size;
    uint64_t limit = same_records(captures[0]->capture, captures[1]->capture, cpu), counts[2];
    const struct index_stretch *in_a = stretches_of(&captures[0]->index, cpu, &counts[0]);
    const struct index_stretch *in_b = stretches_of(&captures[1]->index, cpu, &counts[1]);
    struct prefix prefix = {0};
    uint64_t branches = 0, compared = 0;
    limit = limit < size ? limit : size;
    for (uint64_t i = 0; i < counts[0] && i < counts[1]; i++) {
        if (in_a[i].begin != in_b[i].begin || in_a[i].end != in_b[i].end || in_a[i].branches != in_b[i].branches ||
            in_a[i].end > limit || memcmp(a->bytes + compared, b->bytes + compared, in_a[i].end - compared) != 0)
            break;
        prefix = (struct prefix){in_a[i].begin, branches};
        branches += in_a[i].branches;
        compared = in_a[i].end;
        capture_map_pass(a->bytes, in_a[i].begin, in_a[i].end);
        capture_map_pass(b->bytes, in_a[i].begin, in_a[i].end);
    }
    return prefix;
}
