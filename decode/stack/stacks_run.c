#include "decode/stack/stacks_run.h"

#include <stdlib.h>

#include "decode/flow/flow_trace.h"
#include "decode/flow/stream.h"
#include "decode/stack/stacks_save.h"

struct run_cpu {
    struct flow_trace trace;
    struct flow_run run;
    uint64_t skip; /* so many transfers are to be taken no more: they were, before the run began */
};

struct run {
    struct run_cpu *cpus;
    struct stream_part *parts; /* of each */
    struct stacks_run_state at;
    uint64_t bytes; /* taken since the last cut */
    bool no_memory;
    bool misplaced; /* a stretch has fewer transfers than were taken of it */
};

/* The offset after the beginning of the first stretch from an offset on that is not before a time; UINT64_MAX: all are.
 */
static uint64_t end_at(const struct flow_trace *trace, uint64_t from, uint64_t until)
{
    struct flow_cursor cursor;
    enum flow_found found;
    flow_trace_cursor(&cursor, trace, (struct flow_part){from, UINT64_MAX});
    while ((found = flow_cursor_next(&cursor)) != FLOW_FOUND_NOTHING)
        if (found == FLOW_FOUND_STRETCH && cursor.stretch.tsc >= until)
            return cursor.stretch.begin + 1;
    return UINT64_MAX;
}

static bool open_cpu(struct run *run, const struct capture *capture, uint16_t number, struct names *names,
                     const struct stacks_run_options *options, const struct stack_hooks *hooks, struct error *error)
{
    struct stacks_run_cpu *at = &run->at.cpus[run->at.nr_cpus];
    struct run_cpu *cpu = &run->cpus[run->at.nr_cpus++];
    *at = (struct stacks_run_cpu){.cpu = number, .pages = &cpu->trace.pages};
    if (!flow_trace_open_uncut(&cpu->trace, capture, number, error))
        return false;
    at->stacks = stacks_open(names, &cpu->trace.pages, hooks);
    if (!at->stacks)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    if (number == options->watched)
        stacks_watch(at->stacks, &options->watch);
    if (run->at.nr_cpus > 1)
        stacks_share(at->stacks, run->at.cpus[0].stacks);
    else if (options->one_cpu && capture->nr_cpus > 1)
        stacks_of_one_cpu(at->stacks);
    return true;
}

static bool open_all(struct run *run, const struct capture *capture, struct names *names,
                     const struct stacks_run_options *options, stacks_run_hooks *hooks, void *context,
                     struct error *error)
{
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        if (!capture->cpus[cpu].present || (options->one_cpu && options->cpu != cpu))
            continue;
        const struct stack_hooks of_cpu = hooks(context, (uint16_t)cpu);
        if (!open_cpu(run, capture, (uint16_t)cpu, names, options, &of_cpu, error))
            return false;
    }
    return true;
}

/* Where each CPU begins: at the beginning of its trace, or where an earlier run was cut. */
static bool begin_all(struct run *run, const struct stacks_run_options *options, struct error *error)
{
    if (options->cuts.every && !options->cuts.begin(options->cuts.context, &run->at, error))
        return false;
    for (unsigned i = 0; i < run->at.nr_cpus; i++) {
        const struct stacks_position *position = &run->at.cpus[i].position;
        struct run_cpu *cpu = &run->cpus[i];
        const uint64_t to = options->until ? end_at(&cpu->trace, position->from, options->until) : UINT64_MAX;
        run->parts[i] =
            (struct stream_part){.trace = &cpu->trace, .part = {position->from, to}, .time = position->time};
        cpu->skip = position->taken;
        cpu->run.branches = position->branches;
        cpu->run.decode_gaps.count = position->decode_gaps;
    }
    return true;
}

static size_t count_transfers(const struct flow_batch *batch)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++)
        count += batch->tags[i] != FLOW_TAG_CONDITIONAL;
    return count;
}

/* Leave out of a batch what was taken before the run began. false: nothing is left of it. */
static bool leave_out(struct run_cpu *cpu, struct flow_batch *batch)
{
    size_t first = 0;
    if (cpu->skip == 0 || batch->kind != FLOW_BATCH_ITEMS)
        return true;
    for (; first < batch->count && cpu->skip > 0; first++)
        cpu->skip -= batch->tags[first] != FLOW_TAG_CONDITIONAL;
    batch->conditional = 0;
    batch->items += first;
    batch->tags += first;
    batch->count -= first;
    return batch->count > 0;
}

/* Transfers of the batch's stretch that came before it. */
static uint64_t taken_before(const struct stacks_run_cpu *cpu, const struct flow_batch *batch)
{
    return cpu->position.from == batch->begin ? cpu->position.taken : 0;
}

/* The position after a batch. */
static void advance(struct run *run, size_t number, const struct flow_batch *batch, uint64_t time)
{
    struct stacks_position *position = &run->at.cpus[number].position;
    const struct flow_run *sums = &run->cpus[number].run;
    position->time = time;
    if (batch->kind == FLOW_BATCH_ITEMS && position->from != batch->begin) {
        position->from = batch->begin;
        position->taken = 0;
    } else if (batch->kind == FLOW_BATCH_END || batch->kind == FLOW_BATCH_GAP) {
        const uint64_t begin = batch->begin;
        const uint64_t end = batch->kind == FLOW_BATCH_END ? batch->result->end : batch->gap->end;
        run->bytes += end - begin;
        *position = (struct stacks_position){end, 0, time, sums->branches, sums->decode_gaps.count};
    }
    if (batch->kind == FLOW_BATCH_ITEMS)
        position->taken += count_transfers(batch);
}

static void cut(struct run *run, const struct stacks_run_cuts *cuts)
{
    if (cuts->every == 0 || run->bytes < cuts->every)
        return;
    for (unsigned i = 0; i < run->at.nr_cpus; i++)
        if (!stacks_can_save(run->at.cpus[i].stacks) || run->cpus[i].skip)
            return;
    if (!cuts->cut(cuts->context, &run->at, run->bytes - cuts->every))
        return;
    for (unsigned i = 0; i < run->at.nr_cpus; i++)
        stacks_forget_names(run->at.cpus[i].stacks);
    run->bytes = 0;
}

static bool take_all(struct run *run, const struct stacks_run_options *options, struct error *error)
{
    const struct stream_options how = {.needs = STACKS_NEEDS | FLOW_NEED_TIME | options->needs,
                                       .threads = options->threads,
                                       .by_time = true,
                                       .progress = options->progress,
                                       .progress_context = options->progress_context};
    const struct stream_item *item;
    struct stream *stream = stream_open(run->parts, run->at.nr_cpus, &how, error);
    if (!stream)
        return false;
    while ((item = stream_next(stream))) {
        struct run_cpu *cpu = &run->cpus[item->part];
        run->no_memory |= !flow_run_take(&cpu->run, item->batch, !options->keep_results);
        struct flow_batch batch = *item->batch;
        if (!leave_out(cpu, &batch))
            continue;
        run->misplaced |= cpu->skip > 0;
        stacks_set_taken(run->at.cpus[item->part].stacks, taken_before(&run->at.cpus[item->part], &batch));
        stacks_take(run->at.cpus[item->part].stacks, &batch);
        advance(run, item->part, &batch, item->time);
        if (batch.kind == FLOW_BATCH_ITEMS)
            cut(run, &options->cuts);
    }
    const bool good = stream_good(stream, error);
    stream_stop(stream);
    for (unsigned i = 0; i < run->at.nr_cpus; i++)
        stream_inferred(stream, i, &run->cpus[i].run.inferred);
    stream_close(stream);
    return good;
}

static bool finish(struct run *run, stacks_run_decoded *decoded, void *context, struct error *error)
{
    bool good = !run->no_memory;
    if (run->misplaced)
        return error_set(error, ERROR_SIDE_FILE, 0, STACKS_RUN_FILE);
    for (unsigned i = 0; i < run->at.nr_cpus; i++)
        good = stacks_end(run->at.cpus[i].stacks) && good;
    if (!good)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    for (unsigned i = 0; i < run->at.nr_cpus && decoded; i++) {
        struct run_cpu *cpu = &run->cpus[i];
        cpu->run.gaps = cpu->trace.gaps;
        cpu->trace.gaps = (struct gaps){0};
        decoded(context, run->at.cpus[i].cpu, &cpu->run);
    }
    return true;
}

static void close_all(struct run *run)
{
    for (unsigned i = 0; i < run->at.nr_cpus; i++) {
        flow_run_free(&run->cpus[i].run);
        flow_trace_close(&run->cpus[i].trace);
    }
    for (unsigned i = run->at.nr_cpus; i-- > 0;)
        if (run->at.cpus[i].stacks)
            stacks_close(run->at.cpus[i].stacks);
    free(run->at.cpus);
    free(run->cpus);
    free(run->parts);
}

bool stacks_run(const struct capture *capture, struct names *names, const struct stacks_run_options *options,
                stacks_run_hooks *hooks, stacks_run_decoded *decoded, void *context, struct error *error)
{
    struct run run = {.cpus = calloc(CAPTURE_MAX_CPUS, sizeof(*run.cpus)),
                      .parts = calloc(CAPTURE_MAX_CPUS, sizeof(*run.parts)),
                      .at.cpus = calloc(CAPTURE_MAX_CPUS, sizeof(*run.at.cpus))};
    bool good = (run.cpus && run.parts && run.at.cpus) || error_set(error, ERROR_MEMORY, 0, "call stacks");
    good = good && open_all(&run, capture, names, options, hooks, context, error) && begin_all(&run, options, error) &&
           take_all(&run, options, error) && finish(&run, decoded, context, error);
    close_all(&run);
    return good;
}
