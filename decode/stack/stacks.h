/*
 * Call stacks from transfers: which function called which, separately for each task of the guest. Pure.
 *
 * The packets report calls, returns, far transfers and interrupts, but neither stack pointers nor tasks. The rules:
 *
 * - A RET returns to the frame whose CALL immediately precedes its target, and pops the frames above it (longjmp, an
 *   unwound exception). If no CALL of the stack precedes the target, the RET counts as a jump (a retpoline); from the
 *   stack's last known frame, it returns to a caller that was called before the trace began. A CALL into the middle of
 *   its own function only pushes an address, and calls no function.
 * - A jump into the middle of a function that is on the stack, and a RET there that no CALL fits, leave the frames
 * above it (longjmp in glibc, the landing pad of an exception): its innermost frame continues, down to the last
 * interrupt or system call.
 * - A jump to another function is a tail call, and pushes a frame. The RET from there returns from the function that
 * was called. A jump to a function that has a frame above that call already returns to that frame.
 * - An interrupt, exception or system call pushes a frame; IRET, SYSRET and the like pop all frames down to it. If they
 *   lead elsewhere than to the interrupted address, a signal handler starts (in user mode), or the frame below
 * continues elsewhere.
 * - Tasks are switched by a function that returns on another stack than the one it was called on. Linux does that in
 *   __switch_to_asm only, which `names` must know. The old stack is parked. Of the stacks that were parked in the same
 *   function, the one continues that fits CR3 and the returns that follow. In do_exit and bprm_execve, where the space
 *   changes, any CR3 fits. Until the task is decided, nothing is reported.
 * - After a gap nothing is known: all frames are popped, and a new stack grows from the present function.
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
    STACK_SIGNAL,    /* the kernel returned to user mode at another address */
    STACK_TAIL       /* a jump or a fall-through: no RET leads to the frame below */
};

struct stack_frame {
    const struct name *name;
    uint64_t site; /* the address of the CALL, SYSCALL, INT n, or of what was interrupted; 0: base */
    uint64_t to;   /* the address at which it was entered */
    enum stack_entry entry;
    bool switches; /* the task is switched before it returns */
    bool silent;   /* a retpoline: hooks do not see it as the top frame, only below an interrupt */
    uint32_t user; /* for the hooks: 0 when the frame is entered */
};

struct stack_task {
    uint32_t number;                  /* from 1 on; one for each stack, as far as stacks can be distinguished */
    uint64_t space;                   /* CR3 in user mode, as in PIP; FLOW_CR3_UNKNOWN: it was never in user mode */
    const struct name_thread *thread; /* the guest kernel's thread; NULL: not known */
    struct stack_frame *frames;       /* the outermost first */
    size_t depth, room;
    const struct code_pages *pages; /* of the CPU that it runs on */
    uint64_t at;                    /* trace offset at which the last frame was entered */
    uint64_t user;                  /* for the hooks: 0 when the task is new */
};

/* What happens, in order. tsc is the time as far as known, and never decreases. task->frames[0 .. depth - 1] is the
 * stack: enter is called after the frame was pushed, leave before it is popped. */
struct stack_hooks {
    void (*enter)(void *context, struct stack_task *task, uint64_t tsc);
    void (*leave)(void *context, struct stack_task *task, uint64_t tsc);
    /* So many branches were executed by the top frame, up to tsc. NULL task: it is not known what was executed. */
    void (*spend)(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc);
    /* Another task continues: NULL, if it is not known yet which. */
    void (*run)(void *context, struct stack_task *task, uint64_t tsc);
    void (*lost)(void *context, uint64_t tsc); /* a gap: after it frames of the running task are left, without leave */
    void *context;
    void (*end)(void *context, struct stack_task *task, uint64_t tsc); /* it will not run again; may be NULL */
    /* A filter suppressed what the CPU did up to tsc. May be NULL. */
    void (*skip)(void *context, uint64_t tsc);
    /* The CPU's trace ends here: the frames that are left next have not returned. May be NULL. */
    void (*finish)(void *context, uint64_t tsc);
};

struct stacks;

/* The stacks of one CPU's trace. NULL: no memory. */
struct stacks *stacks_open(struct names *names, const struct code_pages *pages, const struct stack_hooks *hooks);
void stacks_close(struct stacks *stacks);

/* Both are CPUs of the same machine, so that a task may continue on either. To be called before the first batch. */
void stacks_share(struct stacks *stacks, struct stacks *with);

/* The machine has other CPUs, whose batches are not taken: tasks that were never seen may continue on this one. */
void stacks_of_one_cpu(struct stacks *stacks);

/* Between two transfers of a CPU's trace. */
struct stacks_moment {
    uint64_t stretch; /* the trace offset at which the stretch begins */
    uint64_t taken;   /* so many of its transfers came before */
};

/* Sees the stack at each moment. Where it is undecided for a while which task runs, the moments come later, but in
 * order, and the first of them again. */
struct stacks_watch {
    /* NULL task: it is not known what runs. */
    void (*after)(void *context, const struct stack_task *task, struct stacks_moment moment);
    void *context;
};
void stacks_watch(struct stacks *stacks, const struct stacks_watch *watch);

/* For who watches: so many transfers of the next batch's stretch came before the batch. */
void stacks_set_taken(struct stacks *stacks, uint64_t taken);

/* What decoding must yield: with FLOW_NEED_TIME, stacks have times. */
#define STACKS_NEEDS (FLOW_NEED_TRANSFERS | FLOW_NEED_CONTEXT)

/* The next batch of the CPU's trace. */
void stacks_take(struct stacks *stacks, const struct flow_batch *batch);

/* A part of the trace is skipped in which no suspended task of interest ran, so that their stacks remain valid. Which
 * task runs after it is unknown. */
void stacks_pass_over(void *stacks);

/* A part of the trace is skipped, and all stacks are lost, as after a gap. */
void stacks_restart(void *stacks);

/* Are events held back because it is not known yet which task continues? They will be reported with times from *since
 * on. */
bool stacks_holds(const struct stacks *stacks, uint64_t *since);

/* The trace has ended: report what is still held back, and leave all frames. false: memory ran out. */
bool stacks_end(struct stacks *stacks);

#endif
