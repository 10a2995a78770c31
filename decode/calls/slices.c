#include "decode/calls/slices.h"

#include <stdlib.h>
#include <string.h>

#include "decode/calls/slices_state.h"
#include "decode/capture/list.h"

void slices_init(struct slices *slices, struct names *names, size_t most, uint64_t least, bool by_cpu)
{
    *slices = (struct slices){.names = names,
                              .most = most > 1024 ? most : 1024,
                              .least = least > 0 ? least : 1,
                              .first = UINT64_MAX,
                              .by_cpu = by_cpu};
}

void slices_free(struct slices *slices)
{
    for (size_t i = 0; i < slices->nr_tracks; i++)
        free(slices->tracks[i].open);
    free(slices->tracks);
    free(slices->tasks);
    free(slices->items);
    free(slices->lost);
    free(slices->known);
    *slices = (struct slices){0};
}

/* Returns SLICE_NO_TASK if memory is exhausted. */
static uint32_t add_track(struct slices *slices, uint32_t cpu, uint32_t task)
{
    void *tracks = slices->tracks;
    struct slice_track *track = list_add(&tracks, &slices->nr_tracks, &slices->tracks_room, sizeof(*track));
    slices->tracks = tracks;
    if (!track) {
        slices->no_memory = true;
        return SLICE_NO_TASK;
    }
    *track = (struct slice_track){.cpu = cpu, .task = task};
    return (uint32_t)slices->nr_tracks - 1;
}

/* A TSC of 0 means that no time was known yet. */
static void pass(struct slices *slices, uint64_t tsc)
{
    if (tsc == 0)
        return;
    slices->first = tsc < slices->first ? tsc : slices->first;
    slices->last = tsc > slices->last ? tsc : slices->last;
}

static bool add_task(struct slices_cpu *cpu, struct slice_known *known, uint32_t number)
{
    struct slices *slices = cpu->slices;
    const uint32_t track = slices->by_cpu ? cpu->track : add_track(slices, cpu->cpu, (uint32_t)slices->nr_tasks);
    if (track == SLICE_NO_TASK)
        return false;
    void *tasks = slices->tasks;
    struct slice_task *task = list_add(&tasks, &slices->nr_tasks, &slices->tasks_room, sizeof(*task));
    slices->tasks = tasks;
    if (!task) {
        slices->no_memory = true;
        return false;
    }
    *task = (struct slice_task){.number = number};
    *known = (struct slice_known){(uint32_t)slices->nr_tasks, track + 1};
    return true;
}

/* Set the running task: its number in tasks, and its track. Both are created for a new task. */
static bool know_task(struct slices_cpu *cpu, const struct stack_task *task)
{
    struct slices *slices = cpu->slices;
    if (task->number >= slices->known_room) {
        const size_t room = 2 * (size_t)task->number + 64;
        struct slice_known *more = realloc(slices->known, room * sizeof(*more));
        if (!more) {
            slices->no_memory = true;
            return false;
        }
        memset(more + slices->known_room, 0, (room - slices->known_room) * sizeof(*more));
        slices->known = more;
        slices->known_room = room;
    }
    struct slice_known *known = &slices->known[task->number];
    if (known->task == 0 && !add_task(cpu, known, task->number))
        return false;
    cpu->task = known->task - 1;
    cpu->task_track = slices->by_cpu ? cpu->track : known->track - 1;
    slices->tasks[cpu->task].space = task->space;
    slices->tasks[cpu->task].thread = task->thread;
    return true;
}

static void open_frame(struct slices_cpu *cpu, const struct stack_frame *frame, uint64_t tsc)
{
    slices_push(cpu->slices, cpu->task_track,
                (struct slice_open){.begin = tsc, .name = frame->name->number, .entry = (uint8_t)frame->entry});
}

static void close_all(struct slices *slices, uint32_t track, uint64_t tsc)
{
    while (slices->tracks[track].depth > 0)
        slices_pop(slices, track, tsc);
}

/* The CPU stops running its task. */
static void stop(struct slices_cpu *cpu, uint64_t tsc)
{
    if (cpu->track == SLICE_NO_TASK)
        return; /* there was no memory for its track */
    if (cpu->task != SLICE_NO_TASK)
        cpu->slices->tracks[cpu->task_track].last = tsc;
    close_all(cpu->slices, cpu->track, tsc);
    cpu->task = SLICE_NO_TASK;
}

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    struct slices_cpu *cpu = context;
    pass(cpu->slices, tsc);
    if (cpu->task != SLICE_NO_TASK)
        open_frame(cpu, &task->frames[task->depth - 1], tsc);
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    struct slices_cpu *cpu = context;
    const struct slice_track *track = &cpu->slices->tracks[cpu->task_track];
    pass(cpu->slices, tsc);
    if (cpu->task == SLICE_NO_TASK)
        return;
    cpu->slices->tasks[cpu->task].space = task->space;
    cpu->slices->tasks[cpu->task].thread = task->thread;
    if (track->depth > (cpu->slices->by_cpu ? 1u : 0u))
        slices_pop(cpu->slices, cpu->task_track, tsc);
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    (void)task;
    (void)branches;
    pass(((struct slices_cpu *)context)->slices, tsc);
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    struct slices_cpu *cpu = context;
    struct slices *slices = cpu->slices;
    pass(slices, tsc);
    stop(cpu, tsc);
    if (!task || cpu->track == SLICE_NO_TASK || !know_task(cpu, task))
        return;
    slices_push(slices, cpu->track, (struct slice_open){.begin = tsc, .name = cpu->task, .entry = SLICE_TASK});
    for (size_t i = 0; i < task->depth && slices->by_cpu; i++)
        open_frame(cpu, &task->frames[i], tsc);
}

static bool is_on_cpu(const struct slices *slices, uint32_t task)
{
    for (uint32_t i = 0; i < slices->nr_tracks; i++) {
        const struct slice_track *track = &slices->tracks[i];
        if (track->task == SLICE_NO_TASK && track->depth > 0 && track->open[0].name == task)
            return true;
    }
    return false;
}

/* No more events of tasks that do not run will follow: end their open calls. */
static void end_tasks(struct slices *slices)
{
    for (uint32_t i = 0; i < slices->nr_tracks; i++)
        if (slices->tracks[i].task != SLICE_NO_TASK && slices->tracks[i].depth > 0 &&
            !is_on_cpu(slices, slices->tracks[i].task))
            close_all(slices, i, slices->tracks[i].last);
}

static void lost(void *context, uint64_t tsc)
{
    struct slices_cpu *cpu = context;
    struct slices *slices = cpu->slices;
    pass(slices, tsc);
    stop(cpu, tsc);
    end_tasks(slices);
    void *items = slices->lost;
    struct slice_lost *place = list_add(&items, &slices->nr_lost, &slices->lost_room, sizeof(*place));
    slices->lost = items;
    if (place)
        *place = (struct slice_lost){tsc, cpu->cpu};
    else
        slices->no_memory = true;
}

static void end(void *context, struct stack_task *task, uint64_t tsc)
{
    struct slices *slices = ((struct slices_cpu *)context)->slices;
    const uint32_t number = task->number < slices->known_room ? slices->known[task->number].task : 0;
    (void)tsc;
    if (number)
        slices->tasks[number - 1].thread = task->thread;
    if (number && slices->names && task->space != FLOW_CR3_UNKNOWN)
        slices->tasks[number - 1].name = names_process_text(slices->names, task->pages, task->space, task->at);
}

struct stack_hooks slices_hooks(struct slices_cpu *cpu, struct slices *slices, uint32_t number)
{
    *cpu = (struct slices_cpu){
        .slices = slices, .cpu = number, .track = add_track(slices, number, SLICE_NO_TASK), .task = SLICE_NO_TASK};
    return (struct stack_hooks){enter, leave, spend, run, lost, cpu, end, NULL, NULL};
}

void slices_end_cpu(struct slices_cpu *cpu)
{
    if (cpu->slices->first <= cpu->slices->last)
        stop(cpu, cpu->slices->last);
}

static int compare(const void *left, const void *right)
{
    const struct slice *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

void slices_end(struct slices *slices)
{
    end_tasks(slices);
    if (slices->count > 0)
        qsort(slices->items, slices->count, sizeof(*slices->items), compare);
}
