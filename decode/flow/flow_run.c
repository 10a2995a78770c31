#include "decode/flow/flow_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/flow/flow_cut.h"
#include "decode/flow/flow_work.h"
#include "pt/rtit.h"

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

static bool cut_stretches(struct stretches *stretches, const struct capture_trace *trace, const struct gaps *gaps)
{
    uint64_t gap = gaps_next(gaps, 0);
    struct flow_stretch stretch = {0};
    while (flow_cut_next(&stretch, trace->bytes, trace->size, stretch.end, gap)) {
        if (!stretches_add(stretches, &stretch))
            return false;
        if (stretch.end >= gap)
            gap = gaps_next(gaps, stretch.end);
    }
    return true;
}

/* The CPU's model decides which errata the decoder expects. */
static void name_cpu(struct flow_input *input, struct record_text hello)
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

/* The IP ranges that tracing was confined to. */
static void name_ranges(struct flow_input *input, struct record_text hello)
{
    uint64_t ctl = 0;
    char name[] = "rtit_addr0_a";
    text_find_number(&ctl, hello, "rtit_ctl");
    input->range_kinds = ctl >> RTIT_CTL_ADDR0_CFG_SHIFT & 0xffff;
    for (unsigned i = 0; i < 8; i++) {
        name[9] = (char)('0' + i / 2);
        name[11] = i % 2 ? 'b' : 'a';
        text_find_number(&input->ranges[i], hello, name);
    }
}

static void sum_results(struct flow_run *run)
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
}

static bool decode_stretches(struct flow_run *run, const struct stretches *stretches, const struct flow_input *input,
                             const struct flow_run_options *options, struct error *error)
{
    struct flow_work work = {
        .input = input,
        .stretches = stretches->items,
        .count = stretches->count,
        .threads = options->threads ? options->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
        .hooks = options->hooks,
        .count_packets = options->count_packets,
        .count_targets = options->count_targets,
        .progress = options->progress,
        .progress_context = options->progress_context,
    };
    run->results = work.results = calloc(stretches->count, sizeof(*run->results));
    if (!run->results)
        return error_set(error, ERROR_MEMORY, 0, "%zu stretches", stretches->count);
    run->nr_results = stretches->count;
    bool good = flow_work(&work, error);
    run->packets = work.packets;
    run->targets = work.targets;
    sum_results(run);
    return good;
}

bool flow_run(struct flow_run *run, const struct capture *capture, const struct flow_run_options *options,
              struct error *error)
{
    double start = monotonic_seconds();
    *run = (struct flow_run){0};
    const struct capture_trace *trace = capture_trace(capture, options->cpu, error);
    struct code_pages pages;
    struct stretches stretches = {0};
    if (!trace || !gaps_collect(&run->gaps, capture, options->cpu, error) ||
        !code_pages_collect(&pages, capture, options->cpu, error))
        return false;
    struct flow_input input = {.trace = trace->bytes, .trace_size = trace->size, .pages = &pages};
    struct record_text way;
    input.guest_only = text_find(&way, capture->hello, "pt_switch") && !text_equals(way, "root");
    name_cpu(&input, capture->hello);
    name_ranges(&input, capture->hello);
    bool good = cut_stretches(&stretches, trace, &run->gaps);
    run->undecodable_bytes = stretches.count ? stretches.items[0].begin : trace->size;
    if (!good)
        error_set(error, ERROR_MEMORY, 0, "the stretches of cpu%u.pt", options->cpu);
    else if (stretches.count)
        good = decode_stretches(run, &stretches, &input, options, error);
    free(stretches.items);
    code_pages_free(&pages);
    run->seconds = monotonic_seconds() - start;
    return good;
}

void flow_run_free(struct flow_run *run)
{
    free(run->results);
    gaps_free(&run->gaps);
    hot_free(&run->targets);
    *run = (struct flow_run){0};
}
