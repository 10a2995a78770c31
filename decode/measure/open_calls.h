/*
 * The calls of each task that have not returned yet: when each began, and how long its task has run on a CPU since
 * then. A listener of calls_collect, for everything that measures calls or tasks. It needs the trace from its
 * beginning, or from a checkpoint on: the time of a call that began before a window is not known in the window. Pure.
 */
#ifndef DECODE_MEASURE_OPEN_CALLS_H
#define DECODE_MEASURE_OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/calls/calls_run.h"

struct open_call {
    const struct name *name;
    uint64_t site, to; /* as in struct stack_frame */
    enum stack_entry entry;
    uint64_t begin; /* TSC, or branches without a TSC */
    uint64_t clock; /* its task's, at begin */
    uint64_t user;  /* for the hooks: 0 when the call begins */
};

struct open_task {
    uint32_t number;                  /* as in struct stack_task, and so are: */
    uint64_t space, at;               /* at the last event of the task */
    const struct name_thread *thread; /* NULL: not known */
    const struct code_pages *pages;
    struct open_call *calls; /* the outermost first */
    size_t depth, room;
    uint64_t clock; /* how long it has run on CPUs, in ticks */
    bool runs;
    uint16_t cpu;   /* on which it runs, or ran last */
    uint64_t since; /* when it began to run, or was stopped; 0: it has not run yet */
    bool gone;      /* nothing more will be seen of it */
    bool over;      /* not because the trace or the window ends: the task ended, or a gap follows */
    uint64_t user;  /* for the hooks: 0 when the task is new */
    struct open_task *next;
};

/* All may be NULL. */
struct open_hooks {
    void (*begins)(void *context, struct open_task *task, uint64_t tsc);  /* its last call */
    void (*returns)(void *context, struct open_task *task, uint64_t tsc); /* its last call, which is popped then */
    void (*runs)(void *context, struct open_task *task, uint64_t tsc);    /* since: when it was stopped */
    void (*stops)(void *context, struct open_task *task, uint64_t tsc);   /* since: when it began to run */
    /* A gap, the trace's end, or the task's: its calls are not seen to return. */
    void (*leaves)(void *context, struct open_task *task, uint64_t tsc);
    void *context;
};

struct open_calls {
    struct open_hooks hooks;
    /* May be set before the pass, if the hooks need only what happens from some moment before this TSC on: then the
     * pass may begin there (checkpoints.h), and the calls that are open are known all the same. 0: they need all. */
    uint64_t resume_before;
    bool resumed; /* it did */
    uint64_t to;  /* TSC: the window of the run ends there */
    struct open_cpu {
        struct open_calls *calls;
        uint16_t cpu;
        bool present, ended; /* ended: the CPU's trace ends before `to`, at tsc */
        bool lost;           /* after a gap, up to the next branch */
        uint64_t tsc;
        struct open_task *task; /* NULL: not known */
    } cpus[CAPTURE_MAX_CPUS];
    struct open_task *tasks; /* the newest first */
    uint64_t first, last;    /* the earliest and latest time of all CPUs */
    bool no_memory;
};

/* NULL: no memory. */
struct open_calls *open_calls_new(const struct open_hooks *hooks);
void open_calls_free(struct open_calls *calls);

/* Decode everything before run->window.to, whatever window.from is; or, from a checkpoint on. Afterwards the tasks and
 * their calls are those at that time, or at the end of the trace. false: error says why. */
bool open_calls_collect(struct open_calls *calls, struct calls_run *run, struct error *error);

/* The same, for who needs the hooks only, and only of calls and runs that begin at this TSC or later; 0: of all. The
 * hooks may get some of what is earlier. */
bool open_calls_decode(const struct open_hooks *hooks, struct calls_run *run, uint64_t from, struct error *error);

/* The hooks of one more CPU, for open_calls_collect and for tests. */
struct stack_hooks open_calls_hooks(struct open_calls *calls, uint16_t number);

/* The last call of a task. It must have one. */
static inline struct open_call *open_calls_top(struct open_task *task)
{
    return &task->calls[task->depth - 1];
}

#endif
