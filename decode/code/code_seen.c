#include "decode/code/code_seen.h"

#include <stdlib.h>
#include <string.h>

static int step_compare(const void *left, const void *right)
{
    const struct code_seen_step *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The newest record number that the CPU of this record may rely on; 0: none. */
static uint64_t number_of(const struct capture_record *record)
{
    struct record_page page;
    struct record_seen seen;
    struct record_map map;
    if (record->header.kind == RECORD_PAGE && record->header.length >= sizeof(page)) {
        memcpy(&page, record->payload, sizeof(page));
        return page.number;
    }
    if (record->header.kind == RECORD_SEEN && record->header.length >= sizeof(seen)) {
        memcpy(&seen, record->payload, sizeof(seen));
        return seen.number;
    }
    if (record->header.kind == RECORD_MAP && record->header.length >= sizeof(map)) {
        memcpy(&map, record->payload, sizeof(map));
        return map.number;
    }
    return 0;
}

bool code_seen_collect(struct code_seen *seen, const struct capture *capture, uint16_t cpu)
{
    size_t kept = 0;
    *seen = (struct code_seen){.steps = malloc((capture->nr_records + 1) * sizeof(*seen->steps))};
    if (!seen->steps)
        return false;
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        uint64_t number = record->header.cpu == cpu ? number_of(record) : 0;
        if (number)
            seen->steps[seen->count++] = (struct code_seen_step){record->header.trace_offset, number};
    }
    if (seen->count == 0)
        return true;
    qsort(seen->steps, seen->count, sizeof(*seen->steps), step_compare);
    for (size_t i = 0; i < seen->count; i++) {
        if (kept > 0 && seen->steps[kept - 1].number >= seen->steps[i].number)
            continue; /* it runs newer ones already */
        if (kept > 0 && seen->steps[kept - 1].from == seen->steps[i].from)
            kept--;
        seen->steps[kept++] = seen->steps[i];
    }
    seen->count = kept;
    return true;
}

void code_seen_free(struct code_seen *seen)
{
    free(seen->steps);
    *seen = (struct code_seen){0};
}

/* The first step that comes up to the number. */
static size_t step_of(const struct code_seen *seen, uint64_t number)
{
    size_t low = 0, high = seen->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (seen->steps[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t code_seen_before(const struct code_seen *seen, uint64_t number)
{
    size_t step = step_of(seen, number);
    return step > 0 ? seen->steps[step - 1].from : 0;
}

bool code_seen_from(uint64_t *from, const struct code_seen *seen, uint64_t number)
{
    size_t low = step_of(seen, number);
    *from = 0;
    if (number == 0)
        return true;
    if (low == seen->count)
        return false;
    *from = seen->steps[low].from;
    return true;
}
