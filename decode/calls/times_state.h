/* Shared by times.c and times_emit.c only: held events, and what was emitted of them. */
#ifndef DECODE_CALLS_TIMES_STATE_H
#define DECODE_CALLS_TIMES_STATE_H

#include "decode/calls/times.h"

/* A copy of a task in the state of the emitted events; the stacks' own task is ahead of it. */
struct times_task {
    struct stack_task task;
    size_t shown_depth;       /* number of its frames that the listener knows */
    struct times_call *calls; /* of each frame */
    size_t calls_room;
    uint64_t clock, since; /* as in struct times_known, and so is: */
    bool runs;
    bool ended;            /* no more events of it will follow */
    uint32_t order;        /* by the first event that was emitted; 0: none was */
    struct times_cpu *ran; /* where it runs or ran last, according to the emitted events; NULL: it has not run */
    bool selected;         /* selected by the window */
    struct times_cpu *cpu; /* the CPU that holds its latest events */
    struct times_task *next;
};

enum times_kind { TIMES_ENTER, TIMES_LEAVE, TIMES_RUN, TIMES_FINISH };

struct times_item {
    uint64_t at; /* the CPU's branches before the event */
    struct times_task *task;
    const struct name *name;
    const struct code_pages *pages;
    const struct name_thread *thread;
    uint64_t site, to, space, trace_at; /* pages, thread and trace_at: as in struct stack_task */
    uint8_t kind, entry;
    bool woken; /* an interrupt woke the halted CPU */
};

struct times_cpu {
    struct times *times;
    struct stack_hooks hooks;       /* of the listener */
    struct times_task *current;     /* the running task according to the emitted events */
    const struct times_task *shown; /* the running task that the listener knows */
    struct times_item *items;
    size_t count, room;
    uint64_t tsc;                       /* everything before it was emitted; 0: no time is known yet */
    uint64_t at, emitted_at;            /* branches in total, and up to the last emitted event */
    uint64_t busy_ticks, busy_branches; /* of spans without a halt */
    uint64_t spent;                     /* the latest emitted time */
    bool lost;                          /* after a gap, up to the next emitted time */
    bool before;                        /* the latest emitted time is before the window */
    bool past;                          /* the window's end was emitted */
    struct times_cpu *next;
};

struct times {
    struct times_window window;
    struct times_task *tasks;
    struct times_cpu *cpus;
    uint64_t first, last; /* of all emitted times */
    uint32_t nr_emitted;  /* tasks of which events were emitted */
    bool no_memory;
};

/* Push a frame. false: no memory. */
bool times_push(struct times_task *task, const struct stack_frame *frame, struct times_call call);
void times_task_free(struct times_task *task);

/* Emit an event at a time; NULL: only the branches. */
void times_emit(struct times_cpu *cpu, const struct times_item *item, uint64_t at, uint64_t tsc);

/* Emit the end of a task, after all of its events. */
void times_emit_end(struct times_cpu *cpu, const struct times_item *item, uint64_t tsc);

/* Emit a gap, after all events of all CPUs. */
void times_emit_lost(struct times_cpu *cpu, uint64_t tsc);

#endif
