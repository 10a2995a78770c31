#include "decode/query/run_taker.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/query/index_file.h"
#include "decode/query/run_check.h"
#include "decode/truth.h"

#define LEAST_GRANULES 4096u
#define BAD_RUN 0u /* instructions of what is none */

static struct run_granule *granule_place(struct run_granule *items, size_t size, uint64_t number)
{
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15ull >> 20);
    while (items[at & (size - 1)].stamp && items[at & (size - 1)].number != number)
        at++;
    return &items[at & (size - 1)];
}

static bool grow_granules(struct run_taker *taker)
{
    const size_t size = taker->granules_size ? 2 * taker->granules_size : LEAST_GRANULES;
    struct run_granule *items = calloc(size, sizeof(*items));
    if (!items)
        return false;
    for (size_t i = 0; i < taker->granules_size; i++)
        if (taker->granules[i].stamp)
            *granule_place(items, size, taker->granules[i].number) = taker->granules[i];
    free(taker->granules);
    taker->granules = items;
    taker->granules_size = size;
    return true;
}

static void add_granule(struct run_taker *taker, uint64_t number)
{
    if (2 * taker->granules_used >= taker->granules_size && !grow_granules(taker)) {
        taker->no_memory = true;
        return;
    }
    struct run_granule *place = granule_place(taker->granules, taker->granules_size, number);
    if (place->stamp == taker->stamp)
        return;
    taker->granules_used += place->stamp == 0;
    *place = (struct run_granule){number, taker->stamp};
    void *items = taker->set;
    uint64_t *last = list_add(&items, &taker->set_used, &taker->set_room, sizeof(*last));
    taker->set = items;
    if (last)
        *last = number;
    else
        taker->no_memory = true;
}

/* The instructions from begin to end, which is the end of the last one or its address. */
static uint32_t count_instructions(const struct run_taker *taker, const struct flow_context *at, uint64_t begin,
                                   uint64_t end)
{
    const struct code_pages *pages = &taker->trace->pages;
    const uint64_t space = at->cr3 == FLOW_CR3_UNKNOWN ? CODE_SPACE_UNKNOWN : code_pages_space(pages, at->cr3);
    return run_check(pages, space, at->at, (enum instruction_mode)at->mode, begin, end);
}

static struct run_recent *recent_place(const struct run_taker *taker, uint64_t begin, uint64_t last)
{
    return &taker->recent[(begin ^ begin >> 12 ^ (last - begin) << 3) & (RUN_NR_RECENT - 1)];
}

/* Into the table. */
static void count_recent(struct run_taker *taker, struct run_recent *recent)
{
    if (recent->count == 0)
        return;
    struct run *run = run_table_place(&taker->runs, recent->begin, recent->last, taker->recent_space);
    run->count += recent->count; /* it is there */
    run->last_tsc = recent->tsc;
    run->last_stretch = taker->stretch;
    run->last_space = taker->recent_space;
    recent->count = 0;
}

/* The stretch or the space ends. */
static void forget_recent(struct run_taker *taker)
{
    for (size_t i = 0; i < RUN_NR_RECENT; i++) {
        count_recent(taker, &taker->recent[i]);
        taker->recent[i] = (struct run_recent){.begin = 1};
    }
}

/* From now on, at this offset, runs are executed in this space. */
static void enter_space(struct run_taker *taker, uint64_t cr3, uint64_t at)
{
    const struct tasks *tasks = taker->spaces->tasks;
    const struct name_task *process = NULL;
    const bool same = taker->recent_space != RUN_NO_SPACE && taker->recent_cr3 == cr3;
    if (same && at < taker->recent_until)
        return;
    taker->recent_until = UINT64_MAX;
    if (tasks && cr3 != FLOW_CR3_UNKNOWN)
        process = tasks_find_until(tasks, taker->trace->pages.cpu, cr3, at, &taker->recent_until);
    if (same && process == taker->recent_process)
        return;
    forget_recent(taker);
    taker->recent_space = run_spaces_number(taker->spaces, cr3, process, &taker->no_memory);
    taker->no_memory |= !space_set_add(&taker->space_set, taker->recent_space);
    taker->recent_cr3 = cr3;
    taker->recent_process = process;
}

/* The last instruction of a run is at last; inclusive: it was executed, as the branch that ends the run. */
static struct run *find_run(struct run_taker *taker, const struct flow_context *at, uint64_t begin, uint64_t last,
                            bool inclusive)
{
    struct run *run = run_table_place(&taker->runs, begin, last, taker->recent_space);
    if (!run) {
        taker->no_memory = true;
        return NULL;
    }
    if (run->count++ == 0) {
        const uint64_t end = inclusive ? last : last + 1;
        const uint32_t count = begin == end ? 0 : count_instructions(taker, at, begin, end);
        run->instructions = (uint16_t)(count == 0 && begin != end ? BAD_RUN : count + inclusive);
        run->mode = at->mode;
        run->first_tsc = taker->tsc;
        run->first_stretch = taker->stretch;
    }
    return run;
}

static void take_run(struct run_taker *taker, const struct flow_context *at, uint64_t begin, uint64_t last,
                     bool inclusive)
{
    struct run *run = find_run(taker, at, begin, last, inclusive);
    if (!run)
        return;
    if (run->instructions == BAD_RUN) {
        if (inclusive && begin != last)
            take_run(taker, at, last, last, true);
        return;
    }
    run->last_tsc = taker->tsc;
    run->last_stretch = taker->stretch;
    run->last_space = taker->recent_space;
    if (inclusive) {
        struct run_recent *recent = recent_place(taker, begin, last);
        count_recent(taker, recent);
        *recent = (struct run_recent){.begin = begin, .last = last};
    }
    if (run->stamp == taker->stamp)
        return;
    run->stamp = taker->stamp;
    for (uint64_t i = begin >> INDEX_GRANULE_SHIFT; i <= last >> INDEX_GRANULE_SHIFT; i++)
        add_granule(taker, i);
}

/* From the current IP up to the branch at from, or to where an event occurred. */
static inline void take_to(struct run_taker *taker, const struct flow_context *at, uint64_t from, bool event)
{
    struct run_recent *recent = recent_place(taker, taker->ip, from);
    if (taker->known && !event && recent->begin == taker->ip && recent->last == from) {
        recent->count++;
        recent->tsc = taker->tsc;
        return;
    }
    if (!taker->known || from < taker->ip || from - taker->ip >= 15 * 65536u) {
        if (!event)
            take_run(taker, at, from, from, true);
    } else if (!event) {
        take_run(taker, at, taker->ip, from, true);
    } else if (from > taker->ip) {
        take_run(taker, at, taker->ip, from - 1, false);
    }
}

static void enter_context(struct run_taker *taker, const struct flow_context *at)
{
    if (at->tsc > taker->tsc)
        taker->tsc = at->tsc;
    enter_space(taker, at->cr3, at->at);
}

static void take_branches(struct run_taker *taker, const struct flow_batch *batch)
{
    enter_context(taker, &batch->context);
    for (size_t i = 0; i < batch->count; i++) {
        const struct flow_branch *branch = &batch->items[i].branch;
        take_to(taker, &batch->context, branch->from, batch->tags[i] == FLOW_TAG_EVENT);
        taker->ip = branch->to;
        taker->known = taker->ip != TRUTH_TO_UNRESOLVED;
    }
}

static void take_position(struct run_taker *taker, const struct flow_batch *batch)
{
    const struct flow_position *position = &batch->position;
    enter_context(taker, &batch->context);
    if (!position->running && taker->known && position->ip)
        take_to(taker, &batch->context, position->ip, true);
    taker->known = position->running;
    taker->ip = position->ip;
}

/* Returns the stretch's result. */
static struct flow_result take_stretch(struct run_taker *taker, const struct flow_stretch *stretch)
{
    struct flow_result result = {0};
    const struct flow_batch *batch;
    flow_begin(taker->flow, stretch);
    while ((batch = flow_next(taker->flow)))
        if (batch->kind == FLOW_BATCH_ITEMS)
            take_branches(taker, batch);
        else if (batch->kind == FLOW_BATCH_POSITION)
            take_position(taker, batch);
        else if (batch->kind == FLOW_BATCH_END)
            result = *batch->result;
    return result;
}

void run_taker_chunk(struct run_taker *taker, size_t first, size_t count, uint32_t number, uint32_t stamp,
                     uint64_t *branches, struct run_sums *sums)
{
    const struct flow_stretch *stretches = taker->trace->stretches;
    *sums = (struct run_sums){0};
    taker->set_used = 0;
    taker->stamp = stamp;
    taker->tsc = 0;
    taker->space_set.count = 0;
    taker->recent_space = RUN_NO_SPACE; /* so that the chunk's first space is added to its set */
    for (size_t i = first; i < first + count; i++) {
        taker->stretch = number + (uint32_t)(i - first);
        taker->known = false;
        const struct flow_result result = take_stretch(taker, &stretches[i]);
        forget_recent(taker);
        branches[i - first] = result.branches;
        sums->branches += result.branches;
        sums->instructions += result.instructions;
        sums->errors += (result.error != FLOW_OK) + result.loops;
    }
    sums->last_tsc = taker->tsc;
}

bool run_taker_init(struct run_taker *taker, struct run_spaces *spaces)
{
    *taker = (struct run_taker){.spaces = spaces, .recent_space = RUN_NO_SPACE};
    taker->recent = malloc(RUN_NR_RECENT * sizeof(*taker->recent));
    for (size_t i = 0; i < RUN_NR_RECENT && taker->recent; i++)
        taker->recent[i] = (struct run_recent){.begin = 1};
    return taker->recent != NULL;
}

bool run_taker_turn(struct run_taker *taker, const struct flow_trace *trace, struct error *error)
{
    const unsigned needs =
        FLOW_NEED_BRANCHES | FLOW_NEED_KINDS | FLOW_NEED_POSITIONS | FLOW_NEED_TIME | FLOW_NEED_CONTEXT;
    if (taker->trace == trace)
        return true;
    if (taker->flow)
        flow_end(taker->flow);
    taker->flow = flow_start(&trace->input, needs, error);
    taker->trace = taker->flow ? trace : NULL;
    return taker->flow != NULL;
}

void run_taker_free(struct run_taker *taker)
{
    if (taker->flow)
        flow_end(taker->flow);
    run_table_free(&taker->runs);
    free(taker->recent);
    free(taker->granules);
    free(taker->set);
    free(taker->space_set.items);
    *taker = (struct run_taker){0};
}
