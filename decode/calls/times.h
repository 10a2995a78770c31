/*
 * Gives times to events between two timing packets. A filter between the stacks and their listener: events are held
 * until the CPU's next time is known, and then spread over the span by the branches in between. If the CPU halts in the
 * span, the time that the branches do not need goes to the halt. Without a TSC, the number of branches is the time.
 *
 * It also selects a window of time, and tasks: functions already running when the selection begins are entered then.
 */
#ifndef DECODE_CALLS_TIMES_H
#define DECODE_CALLS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/stack/stacks.h"

struct times_window {
    uint64_t from, to; /* TSC, or branches if by_branches is set; to is exclusive */
    bool by_branches;
    /* Is a task selected in its current state? NULL: all are. Time of other tasks is reported to the skip hook. */
    bool (*is_selected)(void *context, const struct stack_task *task);
    void *context;
};
#define TIMES_ALL ((struct times_window){.to = UINT64_MAX})

struct times;

/* When a call began, and its task's clock then. */
struct times_call {
    uint64_t begin, clock;
};

/* A task between two events: for listeners that did not see what came before. */
struct times_known {
    struct stack_task *task;        /* its frames are the open calls; its user field is the listener's */
    const struct times_call *calls; /* of each frame */
    uint64_t clock;                 /* ticks for which it has run */
    uint64_t since;                 /* when it began to run, or was stopped */
    bool runs;
    bool ended; /* it will not run again */
    void *cpu;  /* context of the listener's hooks of the CPU on which it runs, or ran last */
};

/* One object for all CPUs. NULL: out of memory. */
struct times *times_open(struct times_window window);

/* Hooks for the stacks of one more CPU. hooks are those of the listener; it gets copies of tasks, which live until a
 * gap or times_close. Without memory, events are passed on as they arrive. */
struct stack_hooks times_hooks(struct times *times, const struct stack_hooks *hooks);

/* Emit everything. Call it after each stacks_end, while the code pages still exist. false: memory was exhausted, and
 * events are missing. */
bool times_end(struct times *times);
void times_close(struct times *times);

#endif
