#include "decode/flow_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/message.h"

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_time(const void *left, const void *right)
{
    const struct page_version *a = left, *b = right;
    int by_from = order(a->from, b->from);
    return by_from ? by_from : order(a->file_offset, b->file_offset);
}

static int compare_page(const void *left, const void *right)
{
    const struct page_version *a = left, *b = right;
    int by_gva = order(a->gva, b->gva);
    return by_gva ? by_gva : compare_time(left, right);
}

/* Does the record say something about this CPU's code? Its version is filled in if so. */
static bool take_record(struct page_version *version, const struct capture_record *record, uint16_t cpu)
{
    struct record_page page;
    if (record->header.kind != RECORD_PAGE)
        return false;
    memcpy(&page, record->payload, sizeof(page));
    bool root = page.flags & RECORD_PAGE_ROOT;
    if (record->header.cpu != cpu && !root)
        return false;
    *version = (struct page_version){
        .gva = page.gva & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
        .from = record->header.cpu == cpu ? record->header.trace_offset : 0,
        .file_offset = record->events_offset + sizeof(record->header) + sizeof(page),
        .bytes = record->payload + sizeof(page),
    };
    return true;
}

bool flow_pages_collect(struct flow_pages *pages, const struct capture *capture, uint16_t cpu)
{
    size_t bytes = (capture->nr_records + 1) * sizeof(struct page_version);
    *pages = (struct flow_pages){.by_time = malloc(bytes), .by_page = malloc(bytes)};
    if (!pages->by_time || !pages->by_page || asprintf(&pages->file, "%s/events.bin", capture->directory) < 0) {
        message_say("out of memory for the code pages");
        pages->file = NULL;
        flow_pages_free(pages);
        return false;
    }
    for (size_t i = 0; i < capture->nr_records; i++)
        if (take_record(&pages->by_time[pages->count], &capture->records[i], cpu))
            pages->count++;
    qsort(pages->by_time, pages->count, sizeof(struct page_version), compare_page);
    for (size_t i = 0; i < pages->count; i++) {
        struct page_version *version = &pages->by_time[i];
        version->nothing_new =
            i == 0 || version[-1].gva != version->gva || !memcmp(version[-1].bytes, version->bytes, RECORD_PAGE_SIZE);
    }
    memcpy(pages->by_page, pages->by_time, pages->count * sizeof(struct page_version));
    qsort(pages->by_time, pages->count, sizeof(struct page_version), compare_time);
    return true;
}

void flow_pages_free(struct flow_pages *pages)
{
    free(pages->by_time);
    free(pages->by_page);
    free(pages->file);
    *pages = (struct flow_pages){0};
}

const struct page_version *flow_pages_pick(const struct flow_pages *pages, size_t first, uint64_t at, size_t *next)
{
    const struct page_version *version = &pages->by_page[first];
    size_t i = first;
    while (i < pages->count && pages->by_page[i].gva == pages->by_page[first].gva) {
        if (pages->by_page[i].from <= at)
            version = &pages->by_page[i];
        i++;
    }
    *next = i;
    return version;
}
