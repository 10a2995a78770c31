/*
 * Calls as slices of time: when each began and ended, on a track for each task or for each CPU. A limited number is
 * kept: above it, the shortest slices are merged into their callers, which count them. Receives its events from
 * times.h. Pure.
 */
#ifndef DECODE_CALLS_SLICES_H
#define DECODE_CALLS_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/stack/stacks.h"

/* Value of a slice's entry in addition to enum stack_entry: a task runs on a CPU, and name is its number in tasks. */
#define SLICE_TASK 255u
#define SLICE_NO_TASK UINT32_MAX

struct slice {
    uint64_t begin, end;   /* TSC, or branches without a TSC */
    uint64_t merged_ticks; /* of the calls merged into this one */
    uint32_t merged;       /* number of merged calls, including their callees */
    uint32_t name;         /* number of its struct name */
    uint32_t track;
    uint16_t depth; /* 0: outermost call of the track */
    uint8_t entry;
};

struct slice_task {
    uint32_t number;                  /* as in struct stack_task */
    uint64_t space;                   /* the last known address space */
    const struct name_thread *thread; /* its last name in the guest's kernel; NULL: unknown */
    const char *name;                 /* otherwise the last name of its process or program; NULL: unknown */
};

/* A call that has not ended yet. */
struct slice_open {
    uint64_t begin, merged_ticks;
    uint32_t merged, name;
    uint8_t entry;
};

struct slice_track {
    uint32_t cpu, task; /* task: number in tasks; SLICE_NO_TASK: the track of the CPU itself */
    uint64_t last;      /* when it last ran on the CPU */
    struct slice_open *open;
    size_t depth, room;
};

struct slices {
    struct slice *items; /* of each track, callees before callers until slices_end() sorts them */
    size_t count, room, most;
    uint64_t least;                         /* length of the shortest slice that is kept, in ticks: at least 1 */
    uint64_t merged;                        /* all calls that were merged */
    uint64_t merged_runs, merged_run_ticks; /* SLICE_TASK slices among them, and their total length */
    struct slice_track *tracks;
    size_t nr_tracks, tracks_room;
    struct slice_task *tasks;
    size_t nr_tasks, tasks_room;
    struct slice_known {
        uint32_t task, track; /* both plus 1; 0: not seen yet */
    } * known;                /* indexed by the task's number in the stacks */
    size_t known_room;
    struct names *names;
    uint64_t first, last; /* of all slices */
    struct slice_lost {
        uint64_t tsc;
        uint32_t cpu;
    } * lost; /* where parts of the trace are missing */
    size_t nr_lost, lost_room;
    bool by_cpu; /* one track for each CPU, with the tasks at depth 0; otherwise one for each task, and one for each CPU
                    with its tasks */
    bool no_memory;
};

/* names gives tasks their names; NULL: they have none. most: the maximum number of slices, at least 1024. least: the
 * minimum length in ticks. */
void slices_init(struct slices *slices, struct names *names, size_t most, uint64_t least, bool by_cpu);
void slices_free(struct slices *slices);

/* State of one CPU that adds slices. */
struct slices_cpu {
    struct slices *slices;
    uint32_t cpu, track; /* track of the CPU itself */
    uint32_t task;       /* the running task's number in tasks; SLICE_NO_TASK: none */
    uint32_t task_track;
};

/* Hooks for times_hooks. cpu must not move. */
struct stack_hooks slices_hooks(struct slices_cpu *cpu, struct slices *slices, uint32_t number);

/* Call at the end of the CPU's trace. */
void slices_end_cpu(struct slices_cpu *cpu);

/* Call at the end of all traces: ends open calls, and sorts slices by track, then by begin, callers first. */
void slices_end(struct slices *slices);

#endif
