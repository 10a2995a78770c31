#include "decode/stack/stacks_save.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/stack/stack_code.h"
#include "decode/stack/stacks_state.h"

enum { FRAME_SWITCHES = 1, FRAME_SILENT = 2 };

bool stacks_can_save(const struct stacks *stacks)
{
    return !stacks->undecided.on && !stacks->no_memory;
}

void stacks_forget_names(struct stacks *stacks)
{
    stacks->stretch++;
}

/* --- what functions do --- */

void stacks_save_codes(struct stacks_codes *saved, const struct stacks *stacks, struct pack *pack)
{
    size_t last = 0;
    if (stacks->nr_codes > saved->count) {
        uint8_t *more = realloc(saved->codes, stacks->nr_codes);
        if (!more) {
            pack->no_memory = true;
            return;
        }
        memset(more + saved->count, STACK_CODE_UNKNOWN, stacks->nr_codes - saved->count);
        saved->codes = more;
        saved->count = stacks->nr_codes;
    }
    for (size_t i = 0; i < stacks->nr_codes; i++) {
        if (stacks->codes[i] == saved->codes[i])
            continue;
        pack_number(pack, stacks->codes[i]);
        pack_number(pack, i - last);
        last = i;
        saved->codes[i] = stacks->codes[i];
    }
    pack_number(pack, STACK_CODE_UNKNOWN);
}

bool stacks_load_codes(struct stacks *stacks, struct packed *packed)
{
    uint64_t code, number = 0;
    while ((code = packed_below(packed, STACK_CODE_RETURN + 1)) != STACK_CODE_UNKNOWN) {
        number += packed_number(packed);
        if (packed->bad || number >= names_count(stacks->names) || !stack_code_set(stacks, number, (uint8_t)code))
            packed->bad = true;
    }
    return !packed->bad;
}

/* --- frames and tasks --- */

/* Most calls lead to the begin of a function, from near where the caller was entered. */
void stack_frame_save(const struct stack_frame *frame, struct pack *pack)
{
    const uint64_t flags = (frame->switches ? FRAME_SWITCHES : 0) | (frame->silent ? FRAME_SILENT : 0);
    pack_number(pack, frame->name->number);
    pack_number(pack, (uint64_t)frame->entry << 2 | flags);
    pack_near(pack, frame->to, frame->name->begin);
    pack_number(pack, frame->site != 0);
    if (frame->site)
        pack_near(pack, frame->site, frame->name->begin);
}

bool stack_frame_load(struct stack_frame *frame, const struct names *names, struct packed *packed)
{
    const struct name *name = names_number_load(names, packed);
    const uint64_t how = packed_below(packed, (STACK_TAIL + 1) << 2), begin = name ? name->begin : 0;
    const uint64_t to = packed_near(packed, begin);
    const uint64_t site = packed_below(packed, 2) ? packed_near(packed, begin) : 0;
    *frame = (struct stack_frame){.name = name,
                                  .site = site,
                                  .to = to,
                                  .entry = (enum stack_entry)(how >> 2),
                                  .switches = how & FRAME_SWITCHES,
                                  .silent = how & FRAME_SILENT};
    return !packed->bad;
}

static uint64_t page_number(const struct names_pages *pages, const struct code_pages *of)
{
    unsigned number = 0;
    while (number < pages->count && pages->of[number] != of)
        number++;
    return number;
}

void stack_task_save(const struct stack_task *task, const struct names *names, const struct names_pages *pages,
                     struct pack *pack)
{
    pack_number(pack, task->number);
    pack_number(pack, task->space + 1); /* FLOW_CR3_UNKNOWN is short */
    pack_number(pack, names_thread_number(names, task->thread));
    pack_number(pack, page_number(pages, task->pages)); /* the count: NULL */
    pack_number(pack, task->at);
}

bool stack_task_load(struct stack_task *task, const struct names *names, const struct names_pages *pages,
                     struct packed *packed)
{
    *task = (struct stack_task){.number = (uint32_t)packed_below(packed, UINT32_MAX)};
    task->space = packed_number(packed) - 1;
    task->thread = names_thread_load(names, packed);
    const uint64_t number = packed_below(packed, pages->count + 1u);
    task->pages = number < pages->count ? pages->of[number] : NULL;
    task->at = packed_number(packed);
    packed->bad |= !task->pages && task->space != FLOW_CR3_UNKNOWN;
    return !packed->bad;
}

/* --- CPUs and the pool --- */

void stacks_save_cpu(const struct stacks *stacks, struct pack *pack)
{
    pack_number(pack, stacks->stretch_end);
    pack_number(pack, stacks->tsc);
    pack_number(pack, stacks->cr3 + 1);
    pack_number(pack, stacks->cr3_before + 1);
    pack_number(pack, stacks->at);
    pack_number(pack, stacks->branches);
    pack_number(pack, stacks->to);
    pack_number(pack, stacks->placed);
    pack_number(pack, stacks->begun);
}

bool stacks_load_cpu(struct stacks *stacks, struct packed *packed)
{
    stacks->stretch_end = packed_number(packed);
    stacks->tsc = packed_number(packed);
    stacks->cr3 = packed_number(packed) - 1;
    stacks->cr3_before = packed_number(packed) - 1;
    stacks->at = packed_number(packed);
    stacks->branches = packed_number(packed);
    stacks->to = packed_number(packed);
    stacks->placed = packed_below(packed, 2);
    stacks->begun = packed_below(packed, 2);
    return !packed->bad;
}

/* The number of a CPU of the run; their count: NULL. */
static uint64_t cpu_number(const struct stacks_set *set, const struct stacks *of)
{
    unsigned number = 0;
    while (number < set->count && set->of[number] != of)
        number++;
    return number;
}

static const struct stacks *runs_on(const struct stacks_set *set, const struct stack_parked *task)
{
    for (unsigned i = 0; i < set->count; i++)
        if (set->of[i]->current == task)
            return set->of[i];
    return NULL;
}

static void save_parked(const struct stacks_set *set, const struct stack_parked *task, struct pack *pack)
{
    stack_task_save(&task->task, set->names, set->pages, pack);
    pack_number(pack, task->roams);
    pack_number(pack, task->site);
    pack_number(pack, task->kernel + 1);
    pack_number(pack, task->order);
    pack_number(pack, cpu_number(set, task->cpu));
    pack_number(pack, cpu_number(set, runs_on(set, task)));
    pack_number(pack, task->task.depth);
    for (size_t i = 0; i < task->task.depth; i++)
        stack_frame_save(&task->task.frames[i], pack);
}

void stacks_save_pool(const struct stacks_set *set, struct pack *pack)
{
    const struct stack_pool *pool = set->of[0]->pool;
    pack_number(pack, pool->nr_tasks);
    pack_number(pack, pool->nr_parked);
    pack_number(pack, pool->switch_begin);
    pack_number(pack, pool->strangers);
    for (const struct stack_parked *task = pool->tasks; task; task = task->next) {
        pack_number(pack, 1);
        save_parked(set, task, pack);
    }
    pack_number(pack, 0);
}

static bool load_frames(struct stack_task *task, const struct stacks_set *set, struct packed *packed)
{
    for (uint64_t depth = packed_number(packed); depth > 0 && !packed->bad; depth--) {
        void *frames = task->frames;
        struct stack_frame *frame = list_add(&frames, &task->depth, &task->room, sizeof(*frame));
        task->frames = frames;
        packed->bad |= !frame || !stack_frame_load(frame, set->names, packed);
        packed->bad |= frame && task->depth == 1 && frame->entry != STACK_BASE;
    }
    return !packed->bad;
}

static void load_parked(struct stack_parked *task, const struct stacks_set *set, struct packed *packed)
{
    stack_task_load(&task->task, set->names, set->pages, packed);
    task->roams = packed_below(packed, 2);
    task->site = packed_number(packed);
    task->kernel = packed_number(packed) - 1;
    task->order = packed_number(packed);
    const uint64_t cpu = packed_below(packed, set->count + 1u), on = packed_below(packed, set->count + 1u);
    task->cpu = cpu < set->count ? set->of[cpu] : NULL;
    packed->bad |= on < set->count && set->of[on]->current;
    if (!load_frames(&task->task, set, packed))
        return;
    task->running = on < set->count;
    if (task->running)
        set->of[on]->current = task;
    task->task.user = set->user_of ? set->user_of(set->context, task->task.number) : 0;
}

bool stacks_load_pool(const struct stacks_set *set, struct packed *packed)
{
    struct stack_pool *pool = set->of[0]->pool;
    struct stack_parked **place = &pool->tasks;
    pool->nr_tasks = (uint32_t)packed_below(packed, UINT32_MAX);
    pool->nr_parked = packed_number(packed);
    pool->switch_begin = packed_number(packed);
    pool->strangers = packed_below(packed, 2);
    while (packed_below(packed, 2) && !packed->bad) {
        struct stack_parked *task = calloc(1, sizeof(*task));
        if (!task)
            return false;
        *place = task;
        place = &task->next;
        load_parked(task, set, packed);
    }
    return !packed->bad;
}
