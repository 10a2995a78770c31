#include "decode/cli/trace/trace_functions.h"
#include "decode/cli/text/measure_text.h"
#include "decode/cli/text/name_text.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_INDENT 100u

/* The depth at which a selected function was entered, stored in the task's user field. 0: none. */
static size_t entered_at(const struct stack_task *task)
{
    return (size_t)task->user;
}

static void close_task(struct trace_functions *f, struct stack_task *task)
{
    if (task->user && f->of->count > 0)
        f->of->count--;
    task->user = 0;
}

/* The depth of the top frame, relative to the selected function. false: it is not selected. */
static bool depth_of(const struct trace_functions *f, const struct stack_task *task, size_t *depth)
{
    const struct trace_options *o = f->list->options;
    const size_t entered = entered_at(task);
    if (o->function && !entered)
        return false;
    *depth = task->depth - (o->function ? entered : 1);
    return o->depth == ARGUMENT_NOT_GIVEN || *depth <= o->depth;
}

/* The trace offset of the current event of a task. Events that were held until the trace's end come after it. */
static uint64_t place_of(const struct trace_functions *f, const struct stack_task *task)
{
    return f->decoding ? f->at : task->at;
}

static bool is_wanted(const struct trace_functions *f, const struct stack_task *task, uint64_t tsc)
{
    const struct trace_options *o = f->list->options;
    const struct name *name = task->frames[task->depth - 1].name;
    return trace_is_time(f->list, tsc) && trace_is_process(f->list, task->space, place_of(f, task)) &&
           (!o->address || (name->begin >= o->addresses.begin && name->begin < o->addresses.end));
}

/* Name of the thread in the guest's kernel, otherwise of the process. NULL: unknown. */
static const char *name_of(const struct trace_functions *f, const struct stack_task *task)
{
    return task->thread ? task->thread->text : trace_process(f->list, task->space, place_of(f, task));
}

/* " after 12.3 us": how long the call took that is left now, by the times of the list. Nothing if no time is between.
 */
static void print_duration(const struct trace_functions *f, const struct stack_frame *frame, uint64_t tsc)
{
    const struct indexed_capture *indexed = f->list->indexed;
    char text[SPAN_TEXT_SIZE];
    uint64_t begin;
    if (!trace_begins_take(&f->of->begins, frame->user, &begin) || begin == 0 || begin == tsc ||
        frame->entry == STACK_BASE)
        return;
    const double from = indexed_capture_seconds(indexed, begin), to = indexed_capture_seconds(indexed, tsc);
    if (from >= 0 && to >= from)
        fprintf(f->list->file, " after %s", nanoseconds_text(text, (uint64_t)((to - from) * 1e9 + 0.5)));
    else
        fprintf(f->list->file, " after %" PRIu64 "t", tsc - begin);
}

static void print_function(const struct trace_functions *f, const struct stack_task *task, uint64_t tsc, size_t depth,
                           bool left)
{
    static const char *const entries[] = {[STACK_BASE] = " (under way)",
                                          [STACK_INTERRUPT] = " (interrupt)",
                                          [STACK_SYSCALL] = " (system call)",
                                          [STACK_SIGNAL] = " (signal)"};
    struct trace_list *list = f->list;
    const struct stack_frame *frame = &task->frames[task->depth - 1];
    char text[NAME_TEXT_SIZE];
    trace_head(list, tsc, task->space, name_of(f, task));
    fprintf(list->file, "%*s%s", (int)(depth < MOST_INDENT ? depth : MOST_INDENT) * 2, "", left ? "} " : "");
    trace_color(list, frame->entry > STACK_CALL ? COLOR_EVENT : COLOR_NAME);
    name_text(text, frame->name, frame->name->begin);
    if (frame->name->symbol)
        fputs(text, list->file);
    else
        fprintf(list->file, "%#" PRIx64 "%s%s", frame->name->begin, text[0] ? " " : "", text);
    trace_plain(list);
    if (!left && entries[frame->entry])
        fputs(entries[frame->entry], list->file);
    if (left)
        print_duration(f, frame, tsc);
    trace_source(list, task->space, place_of(f, task), frame->name->begin);
    trace_line_end(list);
}

static void on_enter(void *context, struct stack_task *task, uint64_t tsc)
{
    struct trace_functions *f = context;
    const struct name *name = task->frames[task->depth - 1].name;
    size_t depth;
    f->task = task;
    if (f->list->options->returns)
        task->frames[task->depth - 1].user = trace_begins_add(&f->of->begins, tsc);
    if (f->list->done || !trace_is_time(f->list, tsc))
        return;
    if (f->list->function.pattern && !entered_at(task) && wanted_function(&f->list->function, name)) {
        task->user = task->depth;
        f->of->count++;
    }
    if (trace_between(f->list, name) && depth_of(f, task, &depth) && is_wanted(f, task, tsc))
        print_function(f, task, tsc, depth, false);
}

static void on_leave(void *context, struct stack_task *task, uint64_t tsc)
{
    struct trace_functions *f = context;
    size_t depth;
    uint64_t begin;
    if (!f->list->done && f->list->options->returns && f->list->begun && depth_of(f, task, &depth) &&
        is_wanted(f, task, tsc))
        print_function(f, task, tsc, depth, true);
    else
        trace_begins_take(&f->of->begins, task->frames[task->depth - 1].user, &begin);
    if (entered_at(task) == task->depth)
        close_task(f, task);
}

/* After a gap, only the tasks that run on other CPUs remain. */
static void on_lost(void *context, uint64_t tsc)
{
    struct trace_functions *f = context;
    (void)tsc;
    f->task = NULL;
    f->of->count = 0;
    for (const struct trace_functions *cpu = f->of->first; cpu; cpu = cpu->next)
        f->of->count += cpu->task && entered_at(cpu->task);
}

static void on_spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    (void)context;
    (void)task;
    (void)branches;
    (void)tsc;
}

static void on_run(void *context, struct stack_task *task, uint64_t tsc)
{
    struct trace_functions *f = context;
    (void)tsc;
    f->task = task;
}

/* The task has ended, or its continuation is unknown. */
static void on_end(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)tsc;
    close_task(context, task);
}

void trace_functions_close(struct trace_functions *f)
{
    trace_begins_free(&f->single.begins);
}

bool trace_functions_open(const struct trace_functions *f)
{
    return f->of->count > 0;
}

struct stack_hooks trace_functions_hooks(struct trace_functions *f, struct trace_list *list)
{
    *f = (struct trace_functions){.list = list, .of = &f->single, .single = {.first = f}};
    return (struct stack_hooks){.enter = on_enter,
                                .leave = on_leave,
                                .spend = on_spend,
                                .run = on_run,
                                .lost = on_lost,
                                .end = on_end,
                                .context = f};
}

void trace_functions_share(struct trace_functions *f, struct trace_functions *with)
{
    f->of = with->of;
    f->next = with->of->first;
    with->of->first = f;
}

static enum listing_answer goes_on(void *context, const struct index_chunk *chunk)
{
    (void)chunk;
    return trace_functions_open(context) ? LISTING_YES : LISTING_NO;
}

static const struct listing_range *also(void *context, size_t *count)
{
    const struct trace_functions *f = context;
    return trace_also(f->list, count);
}

/* What other processes execute is skipped, and stacks stay valid across it. After parts that --function or --address
 * skip, nothing is known. */
static void left_out(void *context, bool known)
{
    const struct trace_functions *f = context;
    if (known && !f->list->function.pattern && !f->list->options->address)
        stacks_pass_over(f->stacks);
}

struct listing trace_functions_listing(struct trace_functions *f, struct trace_list *list, struct stacks **stacks)
{
    const struct stack_hooks hooks = trace_functions_hooks(f, list);
    struct listing listing = trace_listing(list);
    *stacks = f->stacks = stacks_open(list->indexed->names, &list->indexed->traces[list->cpu].pages, &hooks);
    listing.needs = STACKS_NEEDS;
    listing.continues = goes_on;
    listing.also = also;
    listing.left_out = left_out;
    listing.context = f;
    return listing;
}

void trace_functions_take(struct trace_functions *f, const struct flow_batch *batch)
{
    f->decoding = true;
    f->at = batch->context.at;
    stacks_take(f->stacks, batch);
}

bool trace_functions_end(struct trace_functions *f)
{
    f->decoding = false;
    return stacks_end(f->stacks);
}
