#include "decode/report/entered.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/flow/flow_run.h"

#define LEAST_SIZE 4096u

bool entered_open(struct entered *seen, const struct capture *capture, struct names *names)
{
    *seen = (struct entered){.capture = capture, .names = names, .targets_size = LEAST_SIZE, .rows_size = LEAST_SIZE};
    seen->traces = calloc(capture->nr_cpus + 1u, sizeof(*seen->traces));
    seen->targets = calloc(seen->targets_size, sizeof(*seen->targets));
    seen->rows = calloc(seen->rows_size, sizeof(*seen->rows));
    if (seen->traces && seen->targets && seen->rows)
        return true;
    entered_close(seen);
    return false;
}

void entered_close(struct entered *seen)
{
    for (unsigned cpu = 0; seen->traces && cpu < seen->capture->nr_cpus; cpu++)
        flow_trace_close(&seen->traces[cpu]);
    free(seen->traces);
    free(seen->targets);
    free(seen->rows);
    *seen = (struct entered){0};
}

static size_t place_of(uint64_t a, uint64_t b, size_t size)
{
    const uint64_t hash = (a ^ b * 31) * 0x9e3779b97f4a7c15ull;
    return (size_t)(hash ^ hash >> 32) & (size - 1);
}

static void add_target(struct entered *seen, uint64_t cr3, uint64_t to, uint64_t count);

static void grow_targets(struct entered *seen)
{
    struct entered_target *old = seen->targets;
    const size_t size = seen->targets_size;
    struct entered_target *larger = calloc(2 * size, sizeof(*larger));
    if (!larger) {
        seen->no_memory = true;
        return;
    }
    seen->targets = larger;
    seen->targets_size = 2 * size;
    seen->nr_targets = 0;
    for (size_t i = 0; i < size; i++)
        if (old[i].count)
            add_target(seen, old[i].cr3, old[i].to, old[i].count);
    free(old);
}

static void add_target(struct entered *seen, uint64_t cr3, uint64_t to, uint64_t count)
{
    if (seen->nr_targets * 2 >= seen->targets_size)
        grow_targets(seen);
    if (seen->no_memory)
        return;
    size_t at = place_of(cr3, to, seen->targets_size);
    while (seen->targets[at].count && (seen->targets[at].cr3 != cr3 || seen->targets[at].to != to))
        at = (at + 1) & (seen->targets_size - 1);
    seen->nr_targets += seen->targets[at].count == 0;
    seen->targets[at] = (struct entered_target){cr3, to, seen->targets[at].count + count};
}

static void take_transfers(struct entered *seen, const struct flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct flow_branch *branch = &batch->items[i].branch;
        if (batch->tags[i] != FLOW_TAG_CONDITIONAL && branch->from && branch->to)
            add_target(seen, branch->to >> 63 ? FLOW_CR3_UNKNOWN : batch->context.cr3, branch->to, 1);
    }
}

static struct entered_row *row_of(const struct entered *seen, uint64_t space, const struct name *name)
{
    size_t at = place_of(space, name->number, seen->rows_size);
    while (seen->rows[at].name && (seen->rows[at].space != space || seen->rows[at].name != name))
        at = (at + 1) & (seen->rows_size - 1);
    return &seen->rows[at];
}

static bool grow_rows(struct entered *seen)
{
    struct entered_row *old = seen->rows;
    const size_t size = seen->rows_size;
    struct entered_row *larger = calloc(2 * size, sizeof(*larger));
    if (!larger)
        return false;
    seen->rows = larger;
    seen->rows_size = 2 * size;
    for (size_t i = 0; i < size; i++)
        if (old[i].name)
            *row_of(seen, old[i].space, old[i].name) = old[i];
    free(old);
    return true;
}

static void add_row(struct entered *seen, const struct entered_target *target, const struct flow_result *stretch)
{
    const struct code_pages *pages = &seen->trace->pages;
    const struct names_stretch within = {stretch->begin, stretch->end};
    uint64_t at;
    const struct name *name = names_within(seen->names, pages, target->cr3, &within, target->to, &at);
    const uint64_t space = target->to >> 63 ? NAMES_ALL_SPACES : code_pages_space(pages, target->cr3);
    if (seen->nr_rows * 2 >= seen->rows_size && !grow_rows(seen)) {
        seen->no_memory = true;
        return;
    }
    struct entered_row *row = row_of(seen, space, name);
    if (!row->name) {
        *row = (struct entered_row){.space = space, .name = name};
        seen->nr_rows++;
        if (!(target->to >> 63))
            row->process = names_process_text(seen->names, pages, target->cr3, at);
    }
    row->count += target->count;
}

static void take_result(struct entered *seen, const struct flow_result *result)
{
    for (size_t i = 0; i < seen->targets_size && seen->nr_targets; i++)
        if (seen->targets[i].count)
            add_row(seen, &seen->targets[i], result);
    if (seen->nr_targets)
        memset(seen->targets, 0, seen->targets_size * sizeof(*seen->targets));
    seen->nr_targets = 0;
}

bool entered_add(struct entered *seen, uint16_t cpu, unsigned threads, bool *whole, struct error *error)
{
    struct flow_run run = {0};
    struct flow_pull pull;
    const struct flow_batch *batch;
    struct flow_trace *trace = seen->trace = &seen->traces[cpu];
    const struct flow_run_options options = {
        .cpu = cpu,
        .threads = threads,
        .sums_only = true,
        .needs = FLOW_NEED_TRANSFERS | FLOW_NEED_CONTEXT,
    };
    if (!flow_trace_open(trace, seen->capture, cpu, error))
        return false;
    if (!flow_pull_open(&pull, &run, trace, &options, error))
        return false;
    while ((batch = flow_pull_next(&pull)))
        if (batch->kind == FLOW_BATCH_ITEMS)
            take_transfers(seen, batch);
        else if (batch->kind == FLOW_BATCH_END)
            take_result(seen, batch->result);
    const bool good = flow_pull_close(&pull, error);
    *whole = good && run.decode_gaps.count == 0;
    flow_run_free(&run);
    return good && (!seen->no_memory || error_set(error, ERROR_MEMORY, 0, "the functions that were entered"));
}
