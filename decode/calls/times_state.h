/* Inside of times.c and times_emit.c: what is held, and what was told of it. */
#ifndef DECODE_CALLS_TIMES_STATE_H
#define DECODE_CALLS_TIMES_STATE_H

#include "decode/calls/times.h"

/* A copy of a task as it is at the moment that is told of; the stacks' own is ahead of it. */
struct times_task {
    struct stack_task task;
    size_t told;           /* so many of its frames the listener knows */
    bool wanted;           /* by the window */
    struct times_cpu *cpu; /* which holds the last that came of it */
    struct times_task *next;
};

enum times_kind { TIMES_ENTER, TIMES_LEAVE, TIMES_RUN };

struct times_item {
    uint64_t at; /* the branches of the CPU before it */
    struct times_task *task;
    const struct name *name;
    const struct code_pages *pages;
    const struct name_thread *thread;
    uint64_t site, space, trace_at; /* pages, thread and trace_at: as of struct stack_task */
    uint8_t kind, entry;
    bool woken; /* the CPU had halted */
};

struct times_cpu {
    struct times *times;
    struct stack_hooks hooks;       /* the listener's */
    struct times_task *current;     /* as far as it was told */
    const struct times_task *shown; /* as far as the listener knows */
    struct times_item *items;
    size_t count, room;
    uint64_t tsc;                       /* up to here all was told; 0: none is known yet */
    uint64_t at, told_at;               /* branches up to now, and up to what was told */
    uint64_t busy_ticks, busy_branches; /* of spans in which the CPU did not halt */
    bool past;                          /* the window's end was told */
    struct times_cpu *next;
};

struct times {
    struct times_window window;
    struct times_task *tasks;
    struct times_cpu *cpus;
    bool no_memory;
};

/* Tell of an item at a time; NULL: of the branches alone. */
void times_tell(struct times_cpu *cpu, const struct times_item *item, uint64_t at, uint64_t tsc);

/* Tell of the end of a task, when all was told of it. */
void times_tell_end(struct times_cpu *cpu, const struct times_item *item, uint64_t tsc);

/* Tell of a gap, when all CPUs have told all. */
void times_tell_lost(struct times_cpu *cpu, uint64_t tsc);

#endif
