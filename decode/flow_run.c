#include "decode/flow_run.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/flow_cut.h"
#include "decode/message.h"
#include "decode/progress.h"
#include "pt/packet.h"

#define MAX_THREADS 64u
#define ERRORS_SHOWN 5u

/* One thread's share: a run of stretches. */
struct part {
    pthread_t thread;
    const struct flow_input *input;
    const struct flow_run_options *options;
    const struct flow_stretch *stretches;
    struct flow_result *results;
    size_t count;
    uint64_t packets;
    struct hot targets;
    bool good;
};

struct stretches {
    struct flow_stretch *items;
    size_t count, room;
};

static bool stretches_add(struct stretches *stretches, const struct flow_stretch *stretch)
{
    if (stretches->count == stretches->room) {
        size_t room = stretches->room ? stretches->room * 2 : 1024;
        struct flow_stretch *items = realloc(stretches->items, room * sizeof(*items));
        if (!items)
            return false;
        stretches->items = items;
        stretches->room = room;
    }
    stretches->items[stretches->count++] = *stretch;
    return true;
}

/* The first gap of the CPU at or behind the offset. */
static uint64_t next_gap(const struct capture *capture, uint16_t cpu, uint64_t from)
{
    uint64_t first = UINT64_MAX;
    size_t position = 0;
    const struct capture_record *record;
    while ((record = capture_next(capture, &position, RECORD_GAP, cpu))) {
        struct record_gap gap;
        memcpy(&gap, record->payload, sizeof(gap));
        if (gap.at > from && gap.at < first)
            first = gap.at;
    }
    return first;
}

static bool cut(struct stretches *stretches, const struct capture *capture, uint16_t cpu)
{
    const struct capture_trace *trace = &capture->cpus[cpu];
    uint64_t gap = next_gap(capture, cpu, 0);
    struct flow_stretch stretch = {0};
    while (flow_cut_next(&stretch, trace->bytes, trace->size, stretch.end, gap)) {
        if (!stretches_add(stretches, &stretch))
            return false;
        if (stretch.end >= gap)
            gap = next_gap(capture, cpu, stretch.end);
    }
    return true;
}

static void count_target(void *context, uint64_t from, uint64_t to)
{
    struct part *part = context;
    (void)from;
    hot_add(&part->targets, to, 1);
    if (part->options->branch)
        part->options->branch(part->options->context, from, to);
}

static uint64_t count_packets(const uint8_t *bytes, uint64_t size)
{
    uint64_t packets = 0;
    struct pt_packet packet;
    int length;
    for (uint64_t at = 0; at < size; at += (uint64_t)length, packets++) {
        length = pt_packet_parse(&packet, bytes + at, (size_t)(size - at));
        if (length <= 0)
            break;
    }
    return packets;
}

static void *run_part(void *argument)
{
    struct part *part = argument;
    const struct flow_run_options *options = part->options;
    struct flow *flow = options->count_targets
                            ? flow_start(part->input, part->stretches[0].begin, count_target, part)
                            : flow_start(part->input, part->stretches[0].begin, options->branch, options->context);
    if (!flow)
        return NULL;
    for (size_t i = 0; i < part->count; i++) {
        const struct flow_stretch *stretch = &part->stretches[i];
        if (options->count_packets)
            part->packets += count_packets(part->input->trace + stretch->begin, stretch->end - stretch->begin);
        flow_decode(flow, stretch, &part->results[i]);
    }
    flow_end(flow);
    part->good = true;
    return NULL;
}

/* Give each thread about the same number of bytes. */
static size_t share(struct part *parts, size_t nr_parts, const struct stretches *stretches, struct flow_result *results)
{
    uint64_t first = stretches->items[0].begin;
    uint64_t total = stretches->items[stretches->count - 1].end - first;
    size_t used = 0;
    for (size_t i = 0; i < stretches->count; i++) {
        bool due = used == 0 || (used < nr_parts && (stretches->items[i].begin - first) / used >= total / nr_parts);
        if (due) {
            parts[used].stretches = &stretches->items[i];
            parts[used].results = &results[i];
            used++;
        }
        parts[used - 1].count++;
    }
    return used;
}

static bool run_parts(struct part *parts, size_t nr_parts)
{
    size_t started = 0;
    while (started + 1 < nr_parts && pthread_create(&parts[started].thread, NULL, run_part, &parts[started]) == 0)
        started++;
    /* This thread takes the last part, and those for which there was no thread. */
    for (size_t i = started; i < nr_parts; i++)
        run_part(&parts[i]);
    bool good = true;
    for (size_t i = 0; i < started; i++)
        pthread_join(parts[i].thread, NULL);
    for (size_t i = 0; i < nr_parts; i++)
        good = good && parts[i].good;
    return good;
}

static void sum(struct flow_run *run, struct part *parts, size_t nr_parts)
{
    for (size_t i = 0; i < run->nr_results; i++) {
        const struct flow_result *result = &run->results[i];
        run->branches += result->branches;
        run->instructions += result->instructions;
        run->root_instructions += result->root_instructions;
        run->blocks += result->blocks;
        run->overflows += result->overflows;
        run->errors += result->error != 0;
    }
    for (size_t i = 0; i < nr_parts; i++) {
        run->packets += parts[i].packets;
        hot_merge(&run->targets, &parts[i].targets);
        hot_free(&parts[i].targets);
    }
}

/* The CPU's model decides which errata the decoder expects. */
static void name_cpu(struct flow_input *input, struct text hello)
{
    uint64_t family, model, stepping;
    input->cpu_known = text_find_number(&family, hello, "cpu_family") && text_find_number(&model, hello, "cpu_model") &&
                       text_find_number(&stepping, hello, "cpu_stepping");
    if (!input->cpu_known)
        return;
    input->family = (uint16_t)family;
    input->model = (uint8_t)model;
    input->stepping = (uint8_t)stepping;
}

static bool decode_stretches(struct flow_run *run, const struct stretches *stretches, const struct flow_input *input,
                             const struct flow_run_options *options)
{
    struct part parts[MAX_THREADS];
    size_t nr_parts = options->threads ? options->threads : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    nr_parts = options->branch ? 1 : nr_parts < MAX_THREADS ? nr_parts : MAX_THREADS;
    run->results = calloc(stretches->count, sizeof(*run->results));
    if (!run->results) {
        message_say("no memory for %zu stretches", stretches->count);
        return false;
    }
    run->nr_results = stretches->count;
    memset(parts, 0, sizeof(parts));
    nr_parts = share(parts, nr_parts, stretches, run->results);
    for (size_t i = 0; i < nr_parts; i++) {
        parts[i].input = input;
        parts[i].options = options;
    }
    bool good = run_parts(parts, nr_parts);
    sum(run, parts, nr_parts);
    return good;
}

bool flow_run(struct flow_run *run, const struct capture *capture, const struct flow_run_options *options)
{
    double start = progress_now();
    *run = (struct flow_run){0};
    const struct capture_trace *trace = capture_trace(capture, options->cpu);
    struct flow_pages pages;
    struct stretches stretches = {0};
    if (!trace || !flow_pages_collect(&pages, capture, options->cpu))
        return false;
    struct flow_input input = {.trace = trace->bytes, .trace_size = trace->size, .pages = &pages};
    name_cpu(&input, capture->hello);
    bool good = cut(&stretches, capture, options->cpu);
    run->undecodable_bytes = stretches.count ? stretches.items[0].begin : trace->size;
    if (!good)
        message_say("no memory for the stretches of cpu%u.pt", options->cpu);
    else if (stretches.count)
        good = decode_stretches(run, &stretches, &input, options);
    free(stretches.items);
    flow_pages_free(&pages);
    run->seconds = progress_now() - start;
    return good;
}

void flow_run_free(struct flow_run *run)
{
    free(run->results);
    hot_free(&run->targets);
    *run = (struct flow_run){0};
}

void flow_run_say_errors(const struct flow_run *run, const struct capture *capture, uint16_t cpu)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < run->nr_results && shown < ERRORS_SHOWN; i++) {
        const struct flow_result *result = &run->results[i];
        if (!result->error)
            continue;
        shown++;
        message_say("%s/cpu%u.pt: offset %" PRIu64 ", at %#" PRIx64 ": %s", capture->directory, cpu,
                    result->error_offset, result->error_ip, flow_error_text(result->error));
    }
    if (run->errors > shown)
        message_say("%s/cpu%u.pt: and %" PRIu64 " more errors", capture->directory, cpu, run->errors - shown);
}
