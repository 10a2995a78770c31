/*
 * Calls as slices of time: when each began and ended, on a track for each task or for each CPU. At most so many are
 * kept; where there are more, the shortest ones are merged into what called them, which counts them. A filter's
 * listener (times.h). Pure.
 */
#ifndef DECODE_CALLS_SLICES_H
#define DECODE_CALLS_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/stack/stacks.h"

/* Of a slice's entry, beside enum stack_entry: a task runs on a CPU; name is its number in tasks. */
#define SLICE_TASK 255u
#define SLICE_NO_TASK UINT32_MAX

struct slice {
    uint64_t begin, end;   /* TSC, or branches */
    uint64_t merged_ticks; /* of calls within that are no slices */
    uint32_t merged;       /* so many, and all that they called */
    uint32_t name;         /* struct name's number */
    uint32_t track;
    uint16_t depth; /* 0: the track's outermost */
    uint8_t entry;
};

struct slice_task {
    uint32_t number;                  /* as of struct stack_task */
    uint64_t space;                   /* the last that was known */
    const struct name_thread *thread; /* as its kernel called it last; NULL: not known */
    const char *name;                 /* else of the process or program that it was last; NULL: not known */
};

/* What a call has become so far that is not over. */
struct slice_open {
    uint64_t begin, merged_ticks;
    uint32_t merged, name;
    uint8_t entry;
};

struct slice_track {
    uint32_t cpu, task; /* task SLICE_NO_TASK: the CPU's own; else in tasks */
    uint64_t last;      /* it was on the CPU up to here */
    struct slice_open *open;
    size_t depth, room;
};

struct slices {
    struct slice *items; /* of each track those within another one before it; slices_end() changes that */
    size_t count, room, most;
    uint64_t least;                         /* the shortest that is kept, ticks: at least 1 */
    uint64_t merged;                        /* calls that are no slices, of all */
    uint64_t merged_runs, merged_run_ticks; /* SLICE_TASK slices among them, and how long they were */
    struct slice_track *tracks;
    size_t nr_tracks, tracks_room;
    struct slice_task *tasks;
    size_t nr_tasks, tasks_room;
    struct slice_known {
        uint32_t task, track; /* both plus 1; 0: not seen yet */
    } * known;                /* by the stacks' number of the task */
    size_t known_room;
    struct names *names;
    uint64_t first, last; /* of all */
    struct slice_lost {
        uint64_t tsc;
        uint32_t cpu;
    } * lost; /* where something is missing */
    size_t nr_lost, lost_room;
    bool by_cpu; /* on a track for each CPU, depth 0 the tasks; else one for each task, and one for each CPU with tasks
                  */
    bool no_memory;
};

/* Tasks are named by names; NULL: they are not. most: so many at a time, at least 1024. least: none shorter than so
 * many ticks. */
void slices_init(struct slices *slices, struct names *names, size_t most, uint64_t least, bool by_cpu);
void slices_free(struct slices *slices);

/* What a CPU adds. */
struct slices_cpu {
    struct slices *slices;
    uint32_t cpu, track; /* the CPU's own */
    uint32_t task;       /* that runs, in tasks; SLICE_NO_TASK: none */
    uint32_t task_track;
};

/* Hooks for times_open; cpu must stay where it is. */
struct stack_hooks slices_hooks(struct slices_cpu *cpu, struct slices *slices, uint32_t number);

/* The CPU's trace is at its end. */
void slices_end_cpu(struct slices_cpu *cpu);

/* All traces are: what is open ends. Slices come by track, then by begin, the outer one first. */
void slices_end(struct slices *slices);

#endif
