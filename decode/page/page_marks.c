/*
 * What the hypervisor did, and when. Records have a time of their own. VM exits are recognized by PIP packets: one with
 * NR clear that follows one with NR set. Their time is that of the next TSC packet, which comes with the VM entry. If
 * root operation is not traced (pt.switch=list, vmcs), there are none. Blackouts (decode/flow/blackouts.h) have the
 * time of their end, which a TSC packet gives exactly.
 */
#include <stdlib.h>

#include "decode/capture/gaps.h"
#include "decode/capture/list.h"
#include "decode/engine/packet_rules.h"
#include "decode/flow/blackouts.h"
#include "decode/page/page_state.h"
#include "pt/packet/packet.h"

static bool add_mark(struct page_marks *marks, uint64_t tsc, enum page_mark_kind kind, unsigned cpu)
{
    void *items = marks->items;
    struct page_mark *mark = list_add(&items, &marks->count, &marks->room, sizeof(*mark));
    marks->items = items;
    if (mark)
        *mark = (struct page_mark){tsc, (uint8_t)kind, (uint8_t)cpu};
    return mark != NULL;
}

static bool take_records(struct page_marks *marks, const struct capture *capture, unsigned cpu)
{
    static const uint8_t kinds[] = {
        [RECORD_PAGE] = PAGE_MARK_CODE + 1, [RECORD_DRAIN] = PAGE_MARK_DRAIN + 1, [RECORD_MAP] = PAGE_MARK_MAP + 1};
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct record_header *header = &capture->records[i].header;
        if (header->cpu != cpu || header->kind >= sizeof(kinds) || kinds[header->kind] == 0 || header->tsc == 0)
            continue;
        if (!add_mark(marks, header->tsc, (enum page_mark_kind)(kinds[header->kind] - 1), cpu))
            return false;
    }
    return true;
}

/* The first offset at or after at from which packets can be read; size: none. */
static uint64_t find_psb(const uint8_t *bytes, uint64_t from, uint64_t size)
{
    struct packet packet;
    for (uint64_t at = from; at + PT_PACKET_MAX_SIZE <= size; at++)
        if (bytes[at] == 0x02 && bytes[at + 1] == 0x82 && packet_parse(&packet, bytes + at, (size_t)(size - at)) > 0 &&
            packet.kind == PT_PACKET_PSB)
            return at;
    return size;
}

struct scan {
    bool non_root, exited; /* exited: the time of the exit is not known yet */
    bool root;             /* root operation is traced: no blackout begins */
    bool event, dark;      /* event: the last packet was a FUP; dark: a blackout may have begun since the last PSB */
    uint64_t psb;
};

/* Add the blackouts of a part that begins with a PSB. */
static bool take_blackouts(struct page_marks *marks, const struct capture *capture, struct flow_span part, unsigned cpu)
{
    struct blackouts blackouts = {0};
    bool good = blackouts_add(&blackouts, capture, (uint16_t)cpu, &part, 1);
    for (size_t i = 0; good && i < blackouts.count; i++)
        good = blackouts.items[i].to == 0 || add_mark(marks, blackouts.items[i].to, PAGE_MARK_BLACKOUT, cpu);
    blackouts_free(&blackouts);
    return good;
}

/* Look for what a blackout begins with; at the next PSB, and at the end, for the blackouts themselves. */
static bool watch_blackouts(struct page_marks *marks, const struct capture *capture, struct scan *scan,
                            const struct packet *packet, uint64_t at, unsigned cpu)
{
    bool good = true;
    if (packet->kind == PT_PACKET_PSB) {
        good = !scan->dark || take_blackouts(marks, capture, (struct flow_span){scan->psb, at}, cpu);
        scan->psb = at;
        scan->dark = false;
    }
    scan->dark |= packet->kind == PT_PACKET_TIP_PGD && scan->event && !scan->root;
    if (!packet_is_between(packet->kind))
        scan->event = packet->kind == PT_PACKET_FUP;
    return good;
}

static bool take_packet(struct page_marks *marks, struct scan *scan, const struct packet *packet, unsigned cpu)
{
    if (packet->kind == PT_PACKET_PIP) {
        scan->exited |= scan->non_root && !packet->non_root;
        scan->non_root = packet->non_root;
        scan->root = !packet->non_root;
    }
    if (packet->kind != PT_PACKET_TSC || !scan->exited)
        return true;
    scan->exited = false;
    return add_mark(marks, packet->tsc, PAGE_MARK_EXIT, cpu);
}

static bool take_run(struct page_marks *marks, const struct capture *capture, uint64_t begin, uint64_t end,
                     unsigned cpu)
{
    const uint8_t *bytes = capture->cpus[cpu].bytes;
    const bool shown = blackouts_are_shown(capture, (uint16_t)cpu);
    uint64_t at = find_psb(bytes, begin, end);
    struct scan scan = {.psb = at};
    enum packet_block block = PACKET_BLOCK_NONE;
    while (at < end) {
        struct packet packet;
        /* Fast path for short TNTs, the most frequent packets. */
        if (bytes[at] >= 4 && (bytes[at] & 1) == 0 && block == PACKET_BLOCK_NONE) {
            at++;
            continue;
        }
        const int length = packet_parse_next(&packet, bytes + at, (size_t)(end - at), &block);
        if (length > 0 && packet.kind == PT_PACKET_TSC)
            packet.tsc = cpu_clock_time(&capture->clocks[cpu], at, packet.tsc);
        if (length > 0 && (!take_packet(marks, &scan, &packet, cpu) ||
                           (shown && !watch_blackouts(marks, capture, &scan, &packet, at, cpu))))
            return false;
        at = length > 0 ? at + (uint64_t)length : find_psb(bytes, at + 1, end);
    }
    return !scan.dark || take_blackouts(marks, capture, (struct flow_span){scan.psb, end}, cpu);
}

static int compare(const void *left, const void *right)
{
    const struct page_mark *a = left, *b = right;
    if (a->tsc != b->tsc)
        return a->tsc < b->tsc ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static bool take_cpu(struct page_marks *marks, const struct capture *capture, unsigned cpu, struct error *error)
{
    struct gaps gaps;
    struct gaps_run run = {0};
    const struct capture_trace *trace = &capture->cpus[cpu];
    bool good = gaps_collect(&gaps, capture, (uint16_t)cpu, error);
    if (!good)
        return false;
    good = take_records(marks, capture, cpu);
    while (good && gaps_next_run(&run, &gaps, trace->size))
        good = take_run(marks, capture, run.begin, run.end, cpu);
    gaps_free(&gaps);
    return good || error_set(error, ERROR_MEMORY, 0, "the page");
}

bool page_marks_collect(struct page_marks *marks, const struct calls_run *run, struct error *error)
{
    for (unsigned cpu = 0; cpu < run->capture->nr_cpus; cpu++)
        if (run->capture->cpus[cpu].present && (run->cpu == CALLS_ALL_CPUS || run->cpu == cpu) &&
            !take_cpu(marks, run->capture, cpu, error))
            return false;
    size_t count = 0;
    for (size_t i = 0; i < marks->count; i++)
        if (marks->items[i].tsc >= run->window.from && marks->items[i].tsc < run->window.to)
            marks->items[count++] = marks->items[i];
    marks->count = count;
    if (count > 0)
        qsort(marks->items, count, sizeof(*marks->items), compare);
    return true;
}
