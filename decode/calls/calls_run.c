#include "decode/calls/calls_run.h"
#include "decode/calls/checkpoints.h"
#include "decode/capture/text.h"
#include "decode/flow/flow_trace.h"
#include "decode/stack/stacks_run.h"
#include "pt/rtit.h"

/* The first TSC of a CPU's trace; 0 if it has none. */
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

bool calls_clock_read(struct calls_clock *clock, const struct capture *capture, struct error *error)
{
    uint64_t control;
    *clock = (struct calls_clock){0};
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

uint64_t calls_nanoseconds(const struct calls_clock *clock, uint64_t ticks)
{
    const uint64_t passed = ticks > clock->zero ? ticks - clock->zero : 0;
    if (clock->by_branches || clock->khz == 0)
        return passed;
    return passed / clock->khz * 1000000 + passed % clock->khz * 1000000 / clock->khz;
}

bool calls_is_process(struct calls_run *run, const struct code_pages *pages, uint64_t cr3, uint64_t at)
{
    bool is = true;
    if (run->process && cr3 == FLOW_CR3_UNKNOWN)
        is = false;
    else if (run->process && run->cr3 != FLOW_CR3_UNKNOWN)
        is = cr3 == run->cr3 || (pages->nr_maps && code_pages_space(pages, cr3) == code_pages_space(pages, run->cr3));
    else if (run->process)
        is = names_is_process(run->names, pages, cr3, at, run->process);
    run->process_ran |= is;
    return is;
}

static bool is_selected(void *context, const struct stack_task *task)
{
    return task->pages && calls_is_process(context, task->pages, task->space, task->at);
}

/* From packets to the listener: stacks make calls of decoded branches, times give calls their times. */
struct chain {
    struct calls_run *run;
    const struct calls_listener *listener;
    struct times *times;
    struct checkpoints checkpoints;
};

static struct stack_hooks begin_cpu(void *context, uint16_t cpu)
{
    const struct chain *chain = context;
    const struct stack_hooks hooks = chain->listener->begin(chain->listener->context, cpu);
    return times_hooks(chain->times, &hooks);
}

static void take_sums(void *context, uint16_t cpu, const struct flow_run *flow)
{
    const struct chain *chain = context;
    struct calls_run *run = chain->run;
    times_end(chain->times);
    run->branches += flow->branches;
    run->decode_gaps += flow->decode_gaps.count;
    if (run->decoded)
        run->decoded(run->decoded_context, cpu, flow);
}

static bool resume(void *context)
{
    const struct chain *chain = context;
    return chain->listener->resume(chain->listener->context, chain->times);
}

static unsigned nr_traces(const struct capture *capture)
{
    unsigned count = 0;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        count += capture->cpus[cpu].present;
    return count;
}

/* The stacks of one CPU of several are not those of a pass over all. */
static bool has_checkpoints(const struct calls_run *run)
{
    return !run->clock.by_branches && (run->cpu == CALLS_ALL_CPUS || nr_traces(run->capture) == 1);
}

/* Before which time may the pass begin at a checkpoint? 0: it needs the whole trace. */
static uint64_t resumes_before(const struct calls_run *run, const struct calls_listener *listener)
{
    if (run->process || run->decoded)
        return 0;
    return listener->resume ? listener->resume_before : run->window.from;
}

static bool collect(struct chain *chain, const struct times_window *window, struct error *error)
{
    struct calls_run *run = chain->run;
    const bool keeps = has_checkpoints(run);
    struct stacks_run_options options = {.threads = run->threads,
                                         .one_cpu = run->cpu != CALLS_ALL_CPUS,
                                         .cpu = (uint16_t)run->cpu,
                                         .until = window->by_branches || window->to == UINT64_MAX ? 0 : window->to,
                                         .needs = run->needs,
                                         .keep_results = run->decoded != NULL,
                                         .progress = run->progress,
                                         .progress_context = run->progress_context,
                                         .watched = run->watched,
                                         .watch = run->watch};
    if (keeps) {
        checkpoints_open(&chain->checkpoints, run->capture, run->names, chain->times,
                         resumes_before(run, chain->listener));
        chain->checkpoints.begins = chain->listener->resume ? resume : NULL;
        chain->checkpoints.context = chain;
        options.cuts = checkpoints_cuts(&chain->checkpoints);
    }
    const bool good = stacks_run(run->capture, run->names, &options, begin_cpu, take_sums, chain, error);
    if (keeps)
        checkpoints_close(&chain->checkpoints, run->capture, good);
    return good;
}

bool calls_collect(struct calls_run *run, const struct calls_listener *listener, struct error *error)
{
    struct times_window window = run->window;
    window.by_branches = run->clock.by_branches;
    window.is_selected = run->process ? is_selected : NULL;
    window.context = run;
    struct chain chain = {.run = run, .listener = listener, .times = times_open(window)};
    if (!chain.times)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    bool good = collect(&chain, &window, error);
    if (good && !times_end(chain.times))
        good = error_set(error, ERROR_MEMORY, 0, "call stacks");
    if (good)
        listener->end(listener->context);
    times_close(chain.times);
    return good;
}

struct profile_listener {
    struct profile *profile;
    struct profile_cpu cpus[CAPTURE_MAX_CPUS];
    unsigned nr_cpus;
};

static struct stack_hooks begin_profile(void *context, uint16_t cpu)
{
    struct profile_listener *listener = context;
    (void)cpu;
    return profile_hooks(&listener->cpus[listener->nr_cpus++], listener->profile);
}

static void end_profile(void *context)
{
    (void)context;
}

bool profile_collect(struct calls_run *run, struct profile *profile, struct error *error)
{
    struct profile_listener own = {.profile = profile};
    const struct calls_listener listener = {.begin = begin_profile, .end = end_profile, .context = &own};
    return calls_collect(run, &listener, error) &&
           (!profile->no_memory || error_set(error, ERROR_MEMORY, 0, "the call tree"));
}
