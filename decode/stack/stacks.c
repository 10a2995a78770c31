#include "decode/stack/stacks.h"

#include <stdlib.h>

#include "decode/stack/stacks_state.h"

struct stacks *stacks_open(struct names *names, const struct code_pages *pages, const struct stack_hooks *hooks)
{
    struct stacks *stacks = calloc(1, sizeof(*stacks));
    struct stack_known *known = calloc(STACK_KNOWN, sizeof(*known));
    struct stack_pool *pool = calloc(1, sizeof(*pool));
    if (!stacks || !known || !pool) {
        free(stacks);
        free(known);
        free(pool);
        return NULL;
    }
    pool->cpus = stacks;
    *stacks = (struct stacks){.names = names,
                              .pages = pages,
                              .hooks = *hooks,
                              .known = known,
                              .pool = pool,
                              .stretch = 1, /* no entry of known belongs to it yet */
                              .cr3 = FLOW_CR3_UNKNOWN,
                              .cr3_before = FLOW_CR3_UNKNOWN};
    return stacks;
}

void stacks_close(struct stacks *stacks)
{
    struct stack_pool *pool = stacks->pool;
    struct stacks **place = &pool->cpus;
    stack_forget(stacks);
    while (*place != stacks)
        place = &(*place)->next;
    *place = stacks->next;
    if (!pool->cpus)
        free(pool);
    free(stacks->undecided.candidates);
    free(stacks->undecided.events);
    free(stacks->undecided.sites);
    free(stacks->known);
    free(stacks->codes);
    free(stacks);
}

void stacks_share(struct stacks *stacks, struct stacks *with)
{
    free(stacks->pool);
    stacks->pool = with->pool;
    stacks->next = with->next;
    with->next = stacks;
}

void stacks_of_one_cpu(struct stacks *stacks)
{
    stacks->pool->strangers = true;
}

void stacks_watch(struct stacks *stacks, const struct stacks_watch *watch)
{
    stacks->watch = *watch;
}

void stacks_set_taken(struct stacks *stacks, uint64_t taken)
{
    stacks->taken = taken;
}

static void note(const struct stacks *stacks)
{
    if (stacks->watch.after)
        stacks->watch.after(stacks->watch.context, stacks->current ? &stacks->current->task : NULL, stacks->moment);
}

/* What the kernel calls the task that has run up to here. Where switches are not seen, a stack is several tasks'. */
static void learn_thread(struct stacks *stacks, uint64_t at)
{
    const bool known = stacks->placed && stacks->current && stacks->pool->switch_begin && at > stacks->at;
    const struct name_thread *thread = known ? names_thread(stacks->names, stacks->pages, stacks->at, at) : NULL;
    if (thread)
        stacks->current->task.thread = thread;
    stacks->placed = true;
}

/* Time and space advance. What was executed up to here belongs to the top frame. */
static void go_on(struct stacks *stacks, const struct stack_event *event)
{
    if (event->tsc > stacks->tsc) {
        stacks->tsc = event->tsc;
        if (stacks->current)
            stack_spend(stacks);
    }
    if (event->cr3 != stacks->cr3 && event->cr3 != FLOW_CR3_UNKNOWN) {
        stacks->cr3_before = stacks->cr3;
        stacks->cr3 = event->cr3;
    }
    learn_thread(stacks, event->at);
    stacks->at = event->at;
}

static void take(struct stacks *stacks, const struct stack_event *event);

/* It is decided which task continues: process what was held. That may lead to the next switch, and so hold the rest
 * again. */
static void take_held(struct stacks *stacks)
{
    struct stack_undecided *undecided = &stacks->undecided;
    struct stack_event *events = undecided->events;
    const size_t count = undecided->count;
    stack_decide(stacks);
    note(stacks);
    undecided->events = NULL;
    undecided->count = undecided->room = 0;
    for (size_t i = 0; i < count; i++)
        take(stacks, &events[i]);
    free(events);
}

static void take(struct stacks *stacks, const struct stack_event *event)
{
    if (!stacks->undecided.on) {
        go_on(stacks, event);
        stack_step(stacks, event);
        stacks->moment = event->moment;
        note(stacks);
    } else if (stack_hold(stacks, event)) {
        take_held(stacks);
    }
}

/* stretch: where the trace continues. */
static void lose(struct stacks *stacks, uint64_t stretch)
{
    while (stacks->undecided.on)
        take_held(stacks);
    if (stacks->current)
        stack_spend(stacks);
    stacks->hooks.lost(stacks->hooks.context, stacks->tsc);
    stack_forget(stacks);
    stacks->moment = (struct stacks_moment){stretch, 0};
    note(stacks);
    stacks->placed = false;
}

void stacks_pass_over(void *context)
{
    struct stacks *stacks = context;
    while (stacks->undecided.on)
        take_held(stacks);
    if (stacks->current)
        stack_drop_running(stacks);
    stacks->pool->strangers = true;
    stacks->placed = false;
    stacks->stretch_end = 0; /* no gap */
}

void stacks_restart(void *context)
{
    struct stacks *stacks = context;
    lose(stacks, stacks->stretch_end);
    stacks->stretch_end = 0; /* reported already */
}

/* Returns the space of the batch's CR3. */
static uint64_t begin_batch(struct stacks *stacks, const struct flow_batch *batch)
{
    const uint64_t cr3 = batch->context.cr3;
    if (batch->begin > stacks->stretch_end && stacks->stretch_end > 0)
        lose(stacks, batch->begin);
    stacks->pool->strangers |= !stacks->begun && batch->begin > 0;
    stacks->begun = true;
    stacks->stretch_end = 0;
    return cr3 == FLOW_CR3_UNKNOWN ? cr3 : code_pages_space(stacks->pages, cr3);
}

static void take_items(struct stacks *stacks, const struct flow_batch *batch)
{
    struct stack_event event = {.tsc = batch->context.tsc, .at = batch->context.at};
    event.cr3 = begin_batch(stacks, batch);
    event.transfer.before = batch->conditional;
    event.moment = (struct stacks_moment){batch->begin, stacks->taken};
    for (size_t i = 0; i < batch->count; i++) {
        const union flow_item *item = &batch->items[i];
        if (batch->tags[i] == FLOW_TAG_CONDITIONAL) {
            event.transfer.before += item->conditional;
            continue;
        }
        event.transfer.from = item->branch.from;
        event.transfer.to = item->branch.to;
        event.transfer.kind = transfer_kind_of(batch->tags[i]);
        event.moment.taken++;
        take(stacks, &event);
        event.transfer.before = 0;
    }
}

static void take_end(struct stacks *stacks, const struct flow_batch *batch)
{
    if (batch->conditional > 0) {
        struct stack_event event = {.tsc = batch->context.tsc, .at = batch->context.at};
        event.cr3 = begin_batch(stacks, batch);
        event.transfer.before = batch->conditional;
        event.moment = (struct stacks_moment){batch->begin, stacks->taken};
        take(stacks, &event);
    }
    if (batch->result->error)
        lose(stacks, batch->result->end);
    stacks->stretch++;
    stacks->stretch_end = batch->result->end;
}

void stacks_take(struct stacks *stacks, const struct flow_batch *batch)
{
    if (batch->kind == FLOW_BATCH_ITEMS)
        take_items(stacks, batch);
    else if (batch->kind == FLOW_BATCH_END)
        take_end(stacks, batch);
}

bool stacks_holds(const struct stacks *stacks, uint64_t *since)
{
    *since = stacks->tsc;
    return stacks->undecided.on;
}

/* Of the last CPU: those that wait are at their end, too. */
static void end_all(struct stacks *stacks)
{
    for (struct stack_parked *task = stacks->pool->tasks; task; task = task->next)
        if (stacks->hooks.end)
            stacks->hooks.end(stacks->hooks.context, &task->task, stacks->tsc);
}

bool stacks_end(struct stacks *stacks)
{
    while (stacks->undecided.on)
        take_held(stacks);
    if (stacks->current)
        stack_spend(stacks);
    if (stacks->hooks.finish)
        stacks->hooks.finish(stacks->hooks.context, stacks->tsc);
    if (stacks->current)
        stack_leave_to(stacks, 0);
    stacks->ended = true;
    bool last = true;
    for (const struct stacks *cpu = stacks->pool->cpus; cpu; cpu = cpu->next)
        last &= cpu->ended;
    if (last)
        end_all(stacks);
    return !stacks->no_memory;
}
