/*
 * Times for what happens between two packets that tell one. A filter between stacks and who listens to them: what comes
 * is held until the CPU's next time is known, and is spread over the span by the branches in between. Where the CPU
 * halts in the span, what it does not need for so many branches is its rest. Without any TSC the time is the number of
 * branches.
 *
 * It cuts a window out as well, and tasks: functions that run when these begin are entered then.
 */
#ifndef DECODE_CALLS_TIMES_H
#define DECODE_CALLS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/stack/stacks.h"

struct times_window {
    uint64_t from, to; /* TSC, or branches where by_branches is set; to is not in it */
    bool by_branches;
    /* Is a task wanted, as it is at that moment? NULL: each is. What the others do is told as skipped. */
    bool (*wants)(void *context, const struct stack_task *task);
    void *context;
};
#define TIMES_ALL ((struct times_window){.to = UINT64_MAX})

struct times;

/* Of all CPUs. NULL: no memory. */
struct times *times_open(struct times_window window);

/* What to give to the stacks of one more CPU. hooks are those of who listens; their tasks are copies, which stay until
 * they are forgotten behind a gap, or times_close. No memory: what is told is told as it comes. */
struct stack_hooks times_hooks(struct times *times, const struct stack_hooks *hooks);

/* Tell all; call it behind each stacks_end, while the code pages are still there. false: memory had run out, something
 * is missing. */
bool times_end(struct times *times);
void times_close(struct times *times);

#endif
