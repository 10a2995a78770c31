#include "decode/capture/gaps.h"

#include <stdlib.h>
#include <string.h>

static int gap_compare(const void *left, const void *right)
{
    const struct record_gap *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

bool gaps_collect(struct gaps *gaps, const struct capture *capture, uint16_t cpu, struct error *error)
{
    size_t position = 0, room = 0;
    const struct capture_record *record;
    *gaps = (struct gaps){0};
    while ((record = capture_next(capture, &position, RECORD_GAP, cpu))) {
        if (record->header.length < sizeof(*gaps->items))
            continue;
        if (gaps->count == room) {
            room = room ? 2 * room : 64;
            struct record_gap *more = realloc(gaps->items, room * sizeof(*more));
            if (!more) {
                gaps_free(gaps);
                return error_set(error, ERROR_MEMORY, 0, "%zu gaps", room);
            }
            gaps->items = more;
        }
        memcpy(&gaps->items[gaps->count++], record->payload, sizeof(*gaps->items));
    }
    if (gaps->count)
        qsort(gaps->items, gaps->count, sizeof(*gaps->items), gap_compare);
    return true;
}

void gaps_free(struct gaps *gaps)
{
    free(gaps->items);
    *gaps = (struct gaps){0};
}

bool gaps_next_run(struct gaps_run *run, const struct gaps *gaps, uint64_t size)
{
    run->begin = run->end;
    for (; run->next < gaps->count && gaps->items[run->next].at <= run->begin; run->next++) {
        const struct record_gap *gap = &gaps->items[run->next];
        uint64_t end = gap->size < UINT64_MAX - gap->at ? gap->at + gap->size : UINT64_MAX;
        run->begin = end > run->begin ? end : run->begin;
    }
    while (run->next < gaps->count && gaps->items[run->next].size == 0)
        run->next++;
    run->end = run->next < gaps->count && gaps->items[run->next].at < size ? gaps->items[run->next].at : size;
    return run->begin < size;
}

bool gaps_touch(const struct gaps *gaps, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; gaps && i < gaps->count && gaps->items[i].at <= end; i++) {
        const struct record_gap *gap = &gaps->items[i];
        if (gap->at > begin || gap->at + gap->size > begin)
            return true;
    }
    return false;
}
