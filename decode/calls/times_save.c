#include "decode/calls/times_save.h"

#include <stdlib.h>

#include "decode/calls/times_state.h"
#include "decode/stack/stacks_save.h"

/* What a time is near to, so that it is short. */
struct saving {
    const struct names *names;
    const struct names_pages *pages;
    uint64_t last;
};

uint64_t times_held(const struct times *times)
{
    uint64_t held = 0;
    for (const struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next)
        held += cpu->count;
    return held;
}

uint64_t times_latest(const struct times *times)
{
    uint64_t latest = 0;
    for (const struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next)
        latest = cpu->tsc > latest ? cpu->tsc : latest;
    return latest;
}

/* CPUs by number from 1 on; 0: NULL. */
static uint64_t cpu_number(const struct times *times, const struct times_cpu *of)
{
    uint64_t number = 1;
    for (const struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next, number++)
        if (cpu == of)
            return number;
    return 0;
}

static uint64_t nr_cpus(const struct times *times)
{
    uint64_t count = 0;
    for (const struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next)
        count++;
    return count;
}

static struct times_cpu *load_cpu_number(const struct times *times, struct packed *packed)
{
    uint64_t number = packed_below(packed, nr_cpus(times) + 1);
    struct times_cpu *cpu = number ? times->cpus : NULL;
    for (; number > 1; number--)
        cpu = cpu->next;
    return cpu;
}

/* Tasks by number: 0 is NULL. */
static struct times_task *task_of(const struct times *times, uint64_t number)
{
    struct times_task *task = number ? times->tasks : NULL;
    while (task && task->task.number != number)
        task = task->next;
    return task;
}

static struct times_task *load_task_number(const struct times *times, struct packed *packed)
{
    const uint64_t number = packed_number(packed);
    struct times_task *task = task_of(times, number);
    packed->bad |= number && !task;
    return task;
}

uint64_t times_user_of(void *times, uint32_t number)
{
    return (uint64_t)(uintptr_t)task_of(times, number);
}

/* --- tasks --- */

static bool is_current(const struct times *times, const struct times_task *task)
{
    for (const struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next)
        if (cpu->current == task)
            return true;
    return false;
}

static bool is_saved(const struct times *times, const struct times_task *task)
{
    return !task->ended || is_current(times, task);
}

static void save_task(const struct saving *saving, const struct times *times, const struct times_task *task,
                      struct pack *pack)
{
    uint64_t begin = saving->last;
    stack_task_save(&task->task, saving->names, saving->pages, pack);
    pack_number(pack, task->clock);
    pack_near(pack, task->since, saving->last);
    pack_number(pack, task->runs);
    pack_number(pack, task->ended);
    pack_number(pack, task->order);
    pack_number(pack, cpu_number(times, task->ran));
    pack_number(pack, cpu_number(times, task->cpu));
    pack_number(pack, task->task.depth);
    for (size_t i = 0; i < task->task.depth; i++) {
        stack_frame_save(&task->task.frames[i], pack);
        pack_near(pack, task->calls[i].begin, begin);
        pack_near(pack, task->calls[i].clock, task->clock);
        begin = task->calls[i].begin;
    }
}

static void load_frames(const struct saving *saving, struct times_task *task, struct packed *packed)
{
    uint64_t begin = saving->last;
    for (uint64_t depth = packed_number(packed); depth > 0 && !packed->bad; depth--) {
        struct stack_frame frame;
        struct times_call call;
        stack_frame_load(&frame, saving->names, packed);
        call.begin = begin = packed_near(packed, begin);
        call.clock = packed_near(packed, task->clock);
        packed->bad |= !packed->bad && !times_push(task, &frame, call);
    }
}

static void load_task(const struct saving *saving, struct times *times, struct times_task *task, struct packed *packed)
{
    stack_task_load(&task->task, saving->names, saving->pages, packed);
    packed->bad |= task_of(times, task->task.number) != NULL;
    task->clock = packed_number(packed);
    task->since = packed_near(packed, saving->last);
    task->runs = packed_below(packed, 2);
    task->ended = packed_below(packed, 2);
    task->order = (uint32_t)packed_below(packed, UINT32_MAX);
    task->ran = load_cpu_number(times, packed);
    task->cpu = load_cpu_number(times, packed);
    task->selected = !times->window.is_selected;
    load_frames(saving, task, packed);
}

/* --- CPUs --- */

static void save_item(const struct saving *saving, const struct times_item *item, uint64_t at, uint64_t trace_at,
                      struct pack *pack)
{
    const struct stack_task place = {.number = item->task ? item->task->task.number : 0,
                                     .space = item->space,
                                     .thread = item->thread,
                                     .pages = item->pages};
    pack_number(pack, (uint64_t)item->kind << 1 | item->woken);
    pack_number(pack, item->at - at);
    pack_near(pack, item->trace_at, trace_at);
    pack_number(pack, place.number);
    if (item->task)
        stack_task_save(&place, saving->names, saving->pages, pack);
    if (item->kind == TIMES_ENTER)
        stack_frame_save(
            &(struct stack_frame){
                .name = item->name, .site = item->site, .to = item->to, .entry = (enum stack_entry)item->entry},
            pack);
}

static bool load_item(const struct saving *saving, const struct times *times, struct times_item *item, uint64_t at,
                      uint64_t trace_at, struct packed *packed)
{
    const uint64_t how = packed_below(packed, (TIMES_FINISH + 1) << 1);
    *item = (struct times_item){.kind = (uint8_t)(how >> 1), .woken = how & 1};
    item->at = at + packed_number(packed);
    item->trace_at = packed_near(packed, trace_at);
    item->task = load_task_number(times, packed);
    if (item->task) {
        struct stack_task place;
        stack_task_load(&place, saving->names, saving->pages, packed);
        item->space = place.space;
        item->thread = place.thread;
        item->pages = place.pages;
    }
    if (item->kind == TIMES_ENTER) {
        struct stack_frame frame;
        stack_frame_load(&frame, saving->names, packed);
        item->name = frame.name;
        item->site = frame.site;
        item->to = frame.to;
        item->entry = (uint8_t)frame.entry;
    }
    return !packed->bad;
}

static void save_cpu(const struct saving *saving, const struct times *times, const struct times_cpu *cpu,
                     struct pack *pack)
{
    uint64_t at = cpu->emitted_at, trace_at = 0;
    pack_number(pack, cpu->current ? cpu->current->task.number : 0);
    pack_number(pack, cpu->tsc);
    pack_number(pack, cpu->at);
    pack_number(pack, cpu->emitted_at);
    pack_number(pack, cpu->busy_ticks);
    pack_number(pack, cpu->busy_branches);
    pack_number(pack, cpu->spent);
    pack_number(pack, cpu->lost);
    pack_number(pack, cpu->count);
    for (size_t i = 0; i < cpu->count; i++) {
        const struct times_item *item = &cpu->items[i];
        pack->no_memory |= item->task && !is_saved(times, item->task);
        save_item(saving, item, at, trace_at, pack);
        at = item->at;
        trace_at = item->trace_at;
    }
}

/* What the listener knows is nothing, whatever was emitted. */
static void load_cpu(const struct saving *saving, const struct times *times, struct times_cpu *cpu,
                     struct packed *packed)
{
    cpu->current = load_task_number(times, packed);
    cpu->tsc = packed_number(packed);
    cpu->at = packed_number(packed);
    cpu->emitted_at = packed_number(packed);
    cpu->busy_ticks = packed_number(packed);
    cpu->busy_branches = packed_number(packed);
    cpu->spent = packed_number(packed);
    cpu->lost = packed_below(packed, 2);
    cpu->before = cpu->spent > 0 && cpu->spent < times->window.from;
    const uint64_t count = packed_below(packed, (uint64_t)(packed->end - packed->at) + 1);
    uint64_t at = cpu->emitted_at, trace_at = 0;
    cpu->items = count ? malloc((size_t)count * sizeof(*cpu->items)) : NULL;
    cpu->room = cpu->items ? (size_t)count : 0;
    packed->bad |= count && !cpu->items;
    for (; cpu->count < count && !packed->bad; cpu->count++) {
        struct times_item *item = &cpu->items[cpu->count];
        if (!load_item(saving, times, item, at, trace_at, packed))
            break;
        at = item->at;
        trace_at = item->trace_at;
    }
}

/* --- all --- */

void times_save(const struct times *times, const struct names *names, const struct names_pages *pages,
                struct pack *pack)
{
    const struct saving saving = {names, pages, times->last};
    pack_number(pack, times->first);
    pack_number(pack, times->last);
    pack_number(pack, times->nr_emitted);
    for (const struct times_task *task = times->tasks; task; task = task->next) {
        if (!is_saved(times, task))
            continue;
        pack_number(pack, 1);
        save_task(&saving, times, task, pack);
    }
    pack_number(pack, 0);
    for (const struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next)
        save_cpu(&saving, times, cpu, pack);
    pack->no_memory |= times->no_memory;
}

bool times_load(struct times *times, const struct names *names, const struct names_pages *pages, struct packed *packed)
{
    struct times_task **place = &times->tasks;
    times->first = packed_number(packed);
    times->last = packed_number(packed);
    times->nr_emitted = (uint32_t)packed_below(packed, UINT32_MAX);
    const struct saving saving = {names, pages, times->last};
    while (packed_below(packed, 2) && !packed->bad) {
        struct times_task *task = calloc(1, sizeof(*task));
        if (!task)
            return false;
        load_task(&saving, times, task, packed);
        *place = task;
        place = &task->next;
    }
    for (struct times_cpu *cpu = times->cpus; cpu && !packed->bad; cpu = cpu->next)
        load_cpu(&saving, times, cpu, packed);
    return !packed->bad;
}
