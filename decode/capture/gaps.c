#include "decode/capture/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "decode/cli/message.h"

static int gap_compare(const void *left, const void *right)
{
    const struct record_gap *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

bool gaps_collect(struct gaps *gaps, const struct capture *capture, uint16_t cpu)
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
                message_say("out of memory for %zu gaps", room);
                gaps_free(gaps);
                return false;
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

uint64_t gaps_next(const struct gaps *gaps, uint64_t from)
{
    size_t low = 0, high = gaps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gaps->items[middle].at > from)
            high = middle;
        else
            low = middle + 1;
    }
    return low < gaps->count ? gaps->items[low].at : UINT64_MAX;
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

const char *gap_cause_text(uint32_t cause)
{
    static const char *const texts[] = {[RECORD_GAP_STOPPED] = "output stopped",
                                        [RECORD_GAP_ERROR] = "operational error",
                                        [RECORD_GAP_WIRE] = "lost on the wire",
                                        [RECORD_GAP_DROP] = "no free region, tracing paused",
                                        [RECORD_GAP_RING] = "overwritten in the ring",
                                        [RECORD_GAP_COMMAND] = "tracing paused by a command",
                                        [RECORD_GAP_OVERRUN] = "overwritten by the hardware"};
    return cause < sizeof(texts) / sizeof(texts[0]) && texts[cause] ? texts[cause] : "unknown cause";
}
