/*
 * Call stacks out of transfers: which function called which, for each task of the guest apart. Pure.
 *
 * The packets report calls, returns, far transfers and interrupts, but neither stack pointers nor tasks. The rules:
 *
 * - A RET goes back to the frame whose CALL immediately precedes its target; frames above that are left (longjmp, an
 *   unwound exception). One that leads to after no CALL of the stack is a jump (a retpoline), or, at the stack's last
 *   known frame, leads into a caller from before the trace. A CALL into the middle of its own function puts something
 *   onto the stack, and calls no function.
 * - A jump to another function puts that on top: a tail call. The RET from there is that of the function which was
 *   called. A jump to one that is there already since that call goes back to it.
 * - An interrupt, exception or system call puts a frame on top; IRET, SYSRET and the like take off all down to it. One
 *   that does not lead back to where it came from is a signal handler's start (to user mode) or another way on.
 * - A task is switched where a function's RET is not the one of the stack that it was called on. Linux does that in
 *   __switch_to_asm alone, which `names` must know. The stack is put aside; the one that continues is, of those put
 * aside at the same place, the one that fits CR3 (in do_exit or bprm_execve any may: the space changes there) and the
 *   returns that follow. Until these decide, nothing is reported.
 * - After a gap nothing is known: all frames are left, and the next ones grow from where execution is.
 */
#ifndef DECODE_STACKS_H
#define DECODE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/batch.h"
#include "decode/names/names.h"

enum stack_entry {
    STACK_BASE,      /* its caller is not known */
    STACK_CALL,      /* CALL */
    STACK_INTERRUPT, /* an interrupt or exception */
    STACK_SYSCALL,   /* SYSCALL, SYSENTER, INT n */
    STACK_SIGNAL,    /* the kernel went back to user mode at another place */
    STACK_TAIL       /* a jump, or it was run into: the frame below will not be returned to */
};

struct stack_frame {
    const struct name *name;
    uint64_t site; /* the address of the CALL, SYSCALL, INT n, or of what was interrupted; 0: base */
    enum stack_entry entry;
    bool switches; /* the task is switched before it returns */
    bool silent; /* a retpoline, which is reported to hooks only if it is interrupted: they see no such frame on top */
    uint32_t user; /* for the hooks: 0 when the frame is entered */
};

struct stack_task {
    uint32_t number;                  /* from 1 on; one number a stack, as far as that is known */
    uint64_t space;                   /* CR3 in user mode, as in PIP; FLOW_CR3_UNKNOWN: it was never there */
    const struct name_thread *thread; /* as the guest's kernel calls it; NULL: not known */
    struct stack_frame *frames;       /* the outermost first */
    size_t depth, room;
    const struct code_pages *pages; /* of the CPU that it runs on, */
    uint64_t at;                    /* trace offset when the last frame was entered */
    uint64_t user;                  /* for the hooks: 0 when the task is new */
};

/* What happens, in order. tsc is the time as far as known; it never goes back. In each, task->frames[0 .. depth - 1] is
 * the stack that is meant: of enter with the new frame, of leave still with the one that is left. */
struct stack_hooks {
    void (*enter)(void *context, struct stack_task *task, uint64_t tsc);
    void (*leave)(void *context, struct stack_task *task, uint64_t tsc);
    /* So many branches were executed by the top frame, up to tsc. NULL task: it is not known what was executed. */
    void (*spend)(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc);
    /* Another task continues: NULL, if it is not known yet which. */
    void (*run)(void *context, struct stack_task *task, uint64_t tsc);
    void (*lost)(void *context, uint64_t tsc); /* a gap: after it frames of the running task are left, without leave */
    void *context;
    void (*end)(void *context, struct stack_task *task, uint64_t tsc); /* it is never run again; NULL: no matter */
    /* Up to tsc the CPU did what is not wanted: of a filter between stacks and who listens. NULL: no matter. */
    void (*skip)(void *context, uint64_t tsc);
};

struct stacks;

/* Of a CPU. NULL: no memory. */
struct stacks *stacks_open(struct names *names, const struct code_pages *pages, const struct stack_hooks *hooks);
void stacks_close(struct stacks *stacks);

/* Another CPU of the same machine, before either has got a batch: a task may continue on any of them. */
void stacks_share(struct stacks *stacks, struct stacks *with);

/* What decoding must yield: with FLOW_NEED_TIME, stacks have times. */
#define STACKS_NEEDS (FLOW_NEED_TRANSFERS | FLOW_NEED_CONTEXT)

/* The next batch of the CPU's trace. */
void stacks_take(struct stacks *stacks, const struct flow_batch *batch);

/* A part of the trace is left out in which none of the tasks ran that wait and matter: they stay as they are. What goes
 * on behind it nobody knows. */
void stacks_pass_over(void *stacks);

/* A part of the trace is left out, and nothing is known after it, as after a gap. */
void stacks_begin_anew(void *stacks);

/* Is anything held back, as it is not known yet which task continues? It will be reported with times from *since on. */
bool stacks_holds(const struct stacks *stacks, uint64_t *since);

/* The trace is at its end: what is still held is reported, and all frames are left. false: memory had run out. */
bool stacks_end(struct stacks *stacks);

#endif
