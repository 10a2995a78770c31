#include "decode/code/code_segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "pt/rtit.h"
#include "serial/wire/record.h"

/* A CPU with the first one's features has no line of its own. */
static bool has_plain_ips(const struct capture *capture, uint16_t cpu)
{
    char own[32];
    uint64_t ecx;
    snprintf(own, sizeof(own), "cpu%u_cpuid_14_0_ecx", cpu);
    return (text_find_number(&ecx, capture->hello, own) || text_find_number(&ecx, capture->hello, "cpuid_14_0_ecx")) &&
           !(ecx & CPUID_14_ECX_LIP);
}

static bool take_segment(struct code_segment *to, const struct capture_record *record)
{
    struct record_segment segment;
    if (record->header.kind != RECORD_SEGMENT || record->header.length < sizeof(segment))
        return false;
    memcpy(&segment, record->payload, sizeof(segment));
    *to = (struct code_segment){record->header.trace_offset, (uint32_t)segment.base,
                                segment.flags & RECORD_SEGMENT_STEPPED, segment.flags & RECORD_SEGMENT_LOADED,
                                segment.flags & RECORD_SEGMENT_SOLE};
    return true;
}

static bool take_page(struct code_segment *to, const struct capture_record *record)
{
    struct record_page page;
    if (record->header.kind != RECORD_PAGE || record->header.length < sizeof(page))
        return false;
    memcpy(&page, record->payload, sizeof(page));
    if (page.flags & (RECORD_PAGE_ROOT | RECORD_PAGE_REFILLED))
        return false;
    *to = (struct code_segment){record->header.trace_offset, (uint32_t)page.code_base,
                                page.mode == 16 || page.code_base != 0, false, false};
    return true;
}

/* Records of one CPU that arrived in another order than they were sent. */
static void put_in_order(struct code_segment *list, size_t last)
{
    for (size_t i = last; i > 0 && list[i - 1].from > list[i].from; i--) {
        const struct code_segment moved = list[i];
        list[i] = list[i - 1];
        list[i - 1] = moved;
    }
}

static void take_all(struct code_segments *segments, const struct capture *capture, uint16_t cpu,
                     bool (*take)(struct code_segment *to, const struct capture_record *record))
{
    for (size_t i = 0; i < capture->nr_records; i++)
        if (capture->records[i].header.cpu == cpu && take(&segments->list[segments->count], &capture->records[i]))
            put_in_order(segments->list, segments->count++);
}

bool code_segments_collect(struct code_segments *segments, const struct capture *capture, uint16_t cpu)
{
    *segments = (struct code_segments){.list = malloc((capture->nr_records + 1) * sizeof(*segments->list)),
                                       .recorded = true,
                                       .plain_ips = has_plain_ips(capture, cpu)};
    if (!segments->list)
        return false;
    take_all(segments, capture, cpu, take_segment);
    if (segments->count == 0)
        take_all(segments, capture, cpu, take_page);
    return true;
}

void code_segments_free(struct code_segments *segments)
{
    free(segments->list);
    *segments = (struct code_segments){0};
}

/* The index of the first one after the offset. */
static size_t index_after(const struct code_segments *segments, uint64_t at)
{
    return LIST_AFTER(segments->list, segments->count, struct code_segment, from, at);
}

struct code_segment code_segments_at(const struct code_segments *segments, uint64_t at)
{
    const size_t after = index_after(segments, at);
    return after > 0 ? segments->list[after - 1] : (struct code_segment){0};
}

const struct code_segment *code_segments_after(const struct code_segments *segments, uint64_t at)
{
    const size_t after = index_after(segments, at);
    return after < segments->count ? &segments->list[after] : NULL;
}
