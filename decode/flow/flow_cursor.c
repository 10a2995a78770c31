#include "decode/flow/flow_cursor.h"

#include "decode/flow/flow_cut.h"
#include "decode/flow/flow_packets.h"

/* The two bytes that a PSB repeats. */
#define PSB_FIRST 0x02
#define PSB_SECOND 0x82

static uint64_t part_begin(uint64_t size, uint32_t part, uint32_t nr_parts)
{
    return size / nr_parts * part + size % nr_parts * part / nr_parts;
}

struct flow_part flow_part(uint64_t size, uint32_t part, uint32_t nr_parts)
{
    if (part == 0)
        return (struct flow_part){0, UINT64_MAX};
    return (struct flow_part){part_begin(size, part - 1, nr_parts),
                              part == nr_parts ? UINT64_MAX : part_begin(size, part, nr_parts)};
}

void flow_cursor_begin(struct flow_cursor *cursor, const uint8_t *bytes, uint64_t size, const struct gaps *gaps,
                       struct flow_part part)
{
    *cursor = (struct flow_cursor){.bytes = bytes, .size = size, .gaps = gaps, .part = part};
}

/* The part may begin within a PSB, or within a row of them, where damaged bytes or a sender of another kind make one:
 * which of its bytes a PSB begins with is counted from the row's start on. */
static uint64_t row_start(const uint8_t *bytes, uint64_t begin, uint64_t at)
{
    if (at > begin && bytes[at - 1] == PSB_FIRST && bytes[at] == PSB_SECOND)
        at--;
    while (at >= begin + 2 && bytes[at - 2] == PSB_FIRST && bytes[at - 1] == PSB_SECOND)
        at -= 2;
    return at;
}

/* false: no span of the part is left. */
static bool enter_span(struct flow_cursor *cursor)
{
    const struct flow_part *part = &cursor->part;
    do {
        if (!flow_span_next(&cursor->span, &cursor->gap, cursor->gaps, cursor->size) || cursor->span.begin >= part->to)
            return false;
    } while (cursor->span.end <= part->from);
    cursor->in_span = true;
    cursor->head = cursor->span.begin >= part->from;
    cursor->at = cursor->head ? cursor->span.begin : row_start(cursor->bytes, cursor->span.begin, part->from);
    return true;
}

/* Are there bytes before the span's first PSB? */
static bool find_lost(struct flow_cursor *cursor, uint64_t first)
{
    const bool head = cursor->head;
    cursor->head = false;
    if (!head || first == cursor->span.begin)
        return false;
    cursor->lost = (struct flow_span){cursor->span.begin, first};
    const struct flow_packets packets =
        flow_packets_look(cursor->bytes + cursor->lost.begin, first - cursor->lost.begin, true);
    cursor->lost_has_branches = packets.branches || packets.error;
    return true;
}

enum flow_found flow_cursor_next(struct flow_cursor *cursor)
{
    struct flow_stretch *stretch = &cursor->stretch;
    while (cursor->in_span || enter_span(cursor)) {
        const bool found = flow_cut_next(stretch, cursor->bytes, cursor->size, &cursor->span, cursor->at);
        if (find_lost(cursor, found ? stretch->begin : cursor->span.end))
            return FLOW_FOUND_LOST;
        cursor->in_span = found;
        if (!found)
            continue;
        if (stretch->begin >= cursor->part.to)
            return FLOW_FOUND_NOTHING;
        cursor->at = stretch->end;
        stretch->tsc = cpu_clock_time(cursor->clock, stretch->begin, stretch->tsc);
        stretch->end_tsc = cpu_clock_time(cursor->clock, stretch->end, stretch->end_tsc);
        if (stretch->begin >= cursor->part.from)
            return FLOW_FOUND_STRETCH;
    }
    return FLOW_FOUND_NOTHING;
}
