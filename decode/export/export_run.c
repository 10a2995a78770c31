#include "decode/capture/text.h"
#include "decode/export/export.h"
#include "decode/flow/flow_trace.h"
#include "pt/rtit.h"

/* The first TSC of a CPU's trace. 0: there is none. */
static bool first_tsc(uint64_t *tsc, const struct capture *capture, uint16_t cpu, struct error *error)
{
    struct flow_trace trace;
    struct flow_cursor cursor;
    enum flow_found found = FLOW_FOUND_NOTHING;
    *tsc = 0;
    const bool good = flow_trace_open_uncut(&trace, capture, cpu, error);
    if (good) {
        flow_trace_cursor(&cursor, &trace, flow_part(trace.input.trace_size, 0, 0));
        do {
            found = flow_cursor_next(&cursor);
            *tsc = found == FLOW_FOUND_STRETCH ? cursor.stretch.tsc : 0;
        } while (found != FLOW_FOUND_NOTHING && *tsc == 0);
    }
    flow_trace_close(&trace);
    return good;
}

bool export_clock_read(struct export_clock *clock, const struct capture *capture, struct error *error)
{
    uint64_t control;
    *clock = (struct export_clock){0};
    text_find_number(&clock->khz, capture->hello, "tsc_khz");
    clock->by_branches = text_find_number(&control, capture->hello, "rtit_ctl") && (control & RTIT_CTL_TSC_EN) == 0;
    if (clock->by_branches)
        return true;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        uint64_t tsc;
        if (!capture->cpus[cpu].present)
            continue;
        if (!first_tsc(&tsc, capture, (uint16_t)cpu, error))
            return false;
        clock->zero = tsc && (!clock->zero || tsc < clock->zero) ? tsc : clock->zero;
    }
    clock->by_branches = clock->zero == 0;
    return true;
}

uint64_t export_nanoseconds(const struct export_clock *clock, uint64_t ticks)
{
    const uint64_t passed = ticks > clock->zero ? ticks - clock->zero : 0;
    if (clock->by_branches || clock->khz == 0)
        return passed;
    return passed / clock->khz * 1000000 + passed % clock->khz * 1000000 / clock->khz;
}

/* From packets to the listener: the flow yields transfers, stacks make calls of them, times give them times. */
static bool run_chain(struct export_run *run, struct flow_trace *trace, struct stacks *stacks, struct times *times,
                      uint16_t cpu, struct error *error)
{
    const struct flow_run_options options = {
        .cpu = cpu,
        .threads = run->threads,
        .sums_only = true,
        .hooks = {.transfers = stacks_transfers, .result = stacks_result, .context = stacks},
        .progress = run->progress,
        .progress_context = run->progress_context};
    struct flow_run flow;
    trace->input.timed = trace->input.placed = true;
    bool good = flow_run_trace(&flow, trace, &options, error);
    if (good && !(stacks_end(stacks) && times_end(times)))
        good = error_set(error, ERROR_MEMORY, 0, "call stacks");
    run->branches += flow.branches;
    run->decode_gaps += flow.decode_gaps.count;
    flow_run_free(&flow);
    return good;
}

static bool run_cpu(struct export_run *run, const struct export_listener *listener, uint16_t cpu, struct error *error)
{
    struct flow_trace trace;
    struct times_window window = run->window;
    window.by_branches = run->clock.by_branches;
    bool good = flow_trace_open_uncut(&trace, run->capture, cpu, error);
    if (good) {
        const struct stack_hooks told = listener->begin(listener->context, cpu);
        struct times *times = times_open(&told, window);
        const struct stack_hooks hooks = times ? times_hooks(times) : told;
        struct stacks *stacks = times ? stacks_open(run->names, &trace.pages, &hooks) : NULL;
        good = stacks ? run_chain(run, &trace, stacks, times, cpu, error)
                      : error_set(error, ERROR_MEMORY, 0, "call stacks");
        if (stacks)
            stacks_close(stacks);
        listener->end(listener->context, cpu);
        times_close(times);
    }
    flow_trace_close(&trace);
    return good;
}

bool export_stacks(struct export_run *run, const struct export_listener *listener, struct error *error)
{
    bool good = true;
    for (unsigned cpu = 0; cpu < run->capture->nr_cpus && good; cpu++)
        if (run->cpu == EXPORT_ALL_CPUS ? run->capture->cpus[cpu].present : run->cpu == cpu)
            good = run_cpu(run, listener, (uint16_t)cpu, error);
    return good;
}

struct slices_listener {
    struct slices *slices;
    struct slices_cpu cpu;
};

static struct stack_hooks begin_slices(void *context, uint16_t cpu)
{
    struct slices_listener *listener = context;
    return slices_hooks(&listener->cpu, listener->slices, cpu);
}

static void end_slices(void *context, uint16_t cpu)
{
    (void)cpu;
    slices_end_cpu(&((struct slices_listener *)context)->cpu);
}

bool export_slices(struct export_run *run, struct slices *slices, struct error *error)
{
    struct slices_listener own = {.slices = slices};
    const struct export_listener listener = {begin_slices, end_slices, &own};
    if (!export_stacks(run, &listener, error))
        return false;
    slices_sort(slices);
    return !slices->no_memory || error_set(error, ERROR_MEMORY, 0, "calls");
}

struct profile_listener {
    struct profile *profile;
    struct profile_cpu cpu;
};

static struct stack_hooks begin_profile(void *context, uint16_t cpu)
{
    struct profile_listener *listener = context;
    (void)cpu;
    return profile_hooks(&listener->cpu, listener->profile);
}

static void end_profile(void *context, uint16_t cpu)
{
    (void)context;
    (void)cpu;
}

bool export_profile(struct export_run *run, struct profile *profile, struct error *error)
{
    struct profile_listener own = {.profile = profile};
    const struct export_listener listener = {begin_profile, end_profile, &own};
    return export_stacks(run, &listener, error) &&
           (!profile->no_memory || error_set(error, ERROR_MEMORY, 0, "the call tree"));
}
