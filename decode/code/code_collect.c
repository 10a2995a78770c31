/* Collects the code that the trace of one CPU needs; and the PAGE records of a capture among it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/code/code_collect.h"
#include "pt/rtit.h"

/* The trace offset since which a page has the contents that a device wrote: the fault after which the guest mapped it.
 */
static uint64_t refilled_from(const struct collection *all, const struct capture_record *record)
{
    const struct capture_record *end = all->capture->records + all->capture->nr_records;
    struct record_map map;
    for (const struct capture_record *next = record + 1; next < end; next++)
        if (next->header.kind == RECORD_MAP && next->header.cpu == record->header.cpu &&
            next->header.length >= sizeof(map)) {
            memcpy(&map, next->payload, sizeof(map));
            if (map.flags & RECORD_MAP_SCANNED)
                break; /* the time of the change is unknown */
            return map.fault_offset < record->header.trace_offset ? map.fault_offset : record->header.trace_offset;
        }
    return record->header.trace_offset;
}

/* Does the record concern this CPU's code? */
static bool take_page(struct page_record *to, const struct collection *all, const struct capture_record *record)
{
    struct record_page page;
    uint64_t from;
    memcpy(&page, record->payload, sizeof(page));
    bool foreign = record->header.cpu != all->cpu, root = page.flags & RECORD_PAGE_ROOT;
    /* The hypervisor's own code never changes. */
    uint64_t number = root ? 0 : page.number;
    if (!code_seen_from(&from, &all->seen, number)) {
        /* The CPU never executed this version. If there are maps, the record's address may be valid for the CPU, too.
         */
        if (all->nr_maps == 0)
            return false;
        from = UINT64_MAX;
    }
    if (page.flags & RECORD_PAGE_REFILLED && !foreign)
        from = refilled_from(all, record);
    *to = (struct page_record){
        .gva = page.gva & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
        .gpa = page.gpa & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
        .space = page.cr3,
        .number = number,
        .from = number == 0 && !foreign ? record->header.trace_offset : from,
        .earliest = code_seen_before(&all->seen, number),
        .file_offset = record->events_offset + sizeof(record->header) + sizeof(page),
        .bytes = record->payload + sizeof(page),
        .root = root,
        .foreign = foreign,
    };
    return true;
}

static bool take_pages(struct collection *all)
{
    const struct capture *capture = all->capture;
    all->pages = malloc((capture->nr_records + 1) * sizeof(*all->pages));
    if (!all->pages)
        return false;
    for (size_t i = 0; i < capture->nr_records; i++) {
        if (capture->records[i].header.kind == RECORD_PAGE &&
            take_page(&all->pages[all->nr_pages], all, &capture->records[i]))
            all->nr_pages++;
    }
    return true;
}

bool code_pages_collect(struct code_pages *pages, const struct capture *capture, uint16_t cpu, struct error *error)
{
    struct collection all = {.capture = capture, .cpu = cpu};
    *pages = (struct code_pages){0};
    bool good = code_seen_collect(&all.seen, capture, cpu) && collect_maps(&all, error) && take_pages(&all);
    code_seen_free(&all.seen);
    free(all.ends);
    if (!good) {
        free(all.maps);
        free(all.pages);
    }
    if (good && code_pages_build(pages, all.pages, all.nr_pages, all.maps, all.nr_maps) &&
        asprintf(&pages->file, "%s/events.bin", capture->directory) >= 0 &&
        code_segments_collect(&pages->segments, capture, cpu)) {
        pages->cpu = cpu;
        pages->shared_from = all.shared_from;
        return true;
    }
    pages->file = NULL;
    code_pages_free(pages);
    return error_set(error, ERROR_MEMORY, 0, "the code pages");
}
