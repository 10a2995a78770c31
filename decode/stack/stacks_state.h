/*
 * Inside of this room: the state of a CPU's stacks. stack_frames.c changes frames and reports it, stack_step.c is what
 * a transfer does to them, stack_switch.c which task continues.
 */
#ifndef DECODE_STACKS_STATE_H
#define DECODE_STACKS_STATE_H

#include "decode/stack/stacks.h"
#include "decode/stack/transfer.h"

/* A transfer with all that is needed to take it later. */
struct stack_event {
    struct transfer transfer;
    uint64_t tsc, cr3, at;
    struct stacks_moment moment; /* after it */
};

/* What a function does: stack_code.h. */
enum stack_code {
    STACK_CODE_UNKNOWN,
    STACK_CODE_FUNCTION,
    STACK_CODE_INDIRECT, /* a branch through a register, memory or the stack: a retpoline, a stub of the PLT; or to what
                            a static call leads to */
    STACK_CODE_RETURN    /* what replaces RET */
};

/* Names of both ends of a transfer, as they were in one stretch of trace. */
struct stack_known {
    uint64_t from, to, cr3, stretch;
    const struct name *from_name, *to_name;
};
#define STACK_KNOWN 65536u

/* A task that was switched away from, at this site; a task is one of these. */
struct stack_parked {
    struct stack_task task;
    uint64_t site;   /* of the CALL that has not returned */
    uint64_t kernel; /* CR3 in the kernel; FLOW_CR3_UNKNOWN: it was never in user mode */
    uint64_t order;  /* when it was put aside */
    bool roams;      /* it ends, or executes a program: it may continue in a space that is not the one that it had */
    bool running;
    const struct stacks *cpu; /* where it ran */
    struct stack_parked *next;
};

/* The tasks of a machine: any of them may continue on each of its CPUs. */
struct stack_pool {
    struct stack_parked *tasks;
    uint32_t nr_tasks;
    uint64_t nr_parked;
    uint64_t switch_begin; /* where the function that switches tasks begins; 0: it was not called yet */
    bool strangers;        /* a part of the trace is not here: there may be tasks that were never seen */
    struct stacks *cpus;
};

/* What came since a switch, as long as several tasks may be the one that continues. */
struct stack_undecided {
    bool on;
    struct stack_parked **candidates;
    size_t nr_candidates, candidates_room;
    struct stack_event *events;
    size_t count, room;
    size_t level;    /* so many frames of the task have been returned from */
    uint64_t *sites; /* of calls since then; 0: an interrupt or a system call */
    size_t depth, sites_room;
};

struct stacks {
    struct names *names;
    const struct code_pages *pages;
    struct stack_hooks hooks;
    struct stack_known *known;
    uint8_t *codes; /* enum stack_code of each name, by number */
    size_t nr_codes;
    uint64_t stretch;                  /* which one it is */
    uint64_t stretch_end;              /* where the one before ended; 0: the present one has begun */
    uint64_t tsc, cr3, cr3_before, at; /* now; cr3_before: the last other one */
    uint64_t branches;                 /* executed by the top frame, and not reported yet */
    uint64_t to;                       /* where the present transfer leads */
    bool placed;                       /* what ran since `at` is known */
    bool begun;                        /* a batch was taken */
    struct stack_pool *pool;
    struct stack_parked *current; /* NULL: not known */
    struct stacks *next;          /* of the pool's CPUs */
    struct stack_undecided undecided;
    struct stacks_watch watch;
    struct stacks_moment moment; /* after the last transfer that was processed */
    uint64_t taken;              /* transfers of the present stretch, up to the last batch */
    bool ended, no_memory;
};

/* Addresses of this half are the kernel's. */
static inline bool stack_is_kernel(uint64_t address)
{
    return address >> 63;
}

/* Is the target of a RET right after the CALL at site? */
static inline bool stack_is_return(uint64_t site, uint64_t to)
{
    return to - site >= 2 && to - site <= 15;
}

/* --- stack_frames.c --- */

static inline struct stack_frame *stack_top(struct stacks *stacks)
{
    struct stack_task *task = &stacks->current->task;
    return task->depth > 0 ? &task->frames[task->depth - 1] : NULL;
}

/* Report the branches that the top frame has executed since the last report. */
void stack_spend(struct stacks *stacks);
void stack_enter(struct stacks *stacks, const struct name *name, uint64_t site, enum stack_entry entry);
void stack_leave(struct stacks *stacks);
void stack_leave_to(struct stacks *stacks, size_t depth);

/* The top frame continues in another function, by a jump. */
void stack_jump(struct stacks *stacks, const struct name *name);

/* Leave all frames; execution is in a function whose caller is not known. */
void stack_begin(struct stacks *stacks, const struct name *name);

/* A task that begins in a function. */
void stack_begin_task(struct stacks *stacks, const struct name *name);

/* --- stack_step.c --- */

void stack_step(struct stacks *stacks, const struct stack_event *event);

/* --- stack_switch.c --- */

/* The top frame's RET leads to another task's stack. */
void stack_switch(struct stacks *stacks, uint64_t to, const struct name *name);

/* While it is not decided which task continues: keep what comes. true: now it can be decided, or must be. */
bool stack_hold(struct stacks *stacks, const struct stack_event *event);

/* Choose one. What was kept is then to be taken. */
void stack_decide(struct stacks *stacks);

/* It is not known how the running task continues: it ends here. */
void stack_drop_running(struct stacks *stacks);

/* After a gap: no task is known any more. */
void stack_forget(struct stacks *stacks);

#endif
