/*
 * The call stack of one CPU at each moment of a part of its trace. The stacks come from a pass over all CPUs that
 * begins at a checkpoint (checkpoints.h), so the part need not be near the trace's beginning. Frames are kept as a
 * tree: each moment refers to its innermost frame, and each frame to its caller's.
 */
#ifndef DECODE_CALLS_STACK_LOG_H
#define DECODE_CALLS_STACK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/calls/calls_run.h"

struct stack_log_frame {
    uint64_t site, to; /* as in struct stack_frame */
    uint32_t below;    /* index of its caller's frame; 0: none */
    uint32_t depth;    /* frames up to it, itself included */
    enum stack_entry entry;
};

struct stack_log_task {
    uint32_t number; /* as in struct stack_task */
    uint64_t space;
};

/* From a moment on, up to the next entry. */
struct stack_log_entry {
    struct stacks_moment moment;
    uint32_t top;  /* index of the innermost frame; 0: not known */
    uint32_t task; /* index */
};

struct stack_log {
    uint16_t cpu;
    uint64_t from, to;              /* trace offsets: what lies between them is kept */
    struct stack_log_frame *frames; /* the first is none */
    struct stack_log_task *tasks;
    struct stack_log_entry *entries; /* by moment */
    size_t nr_frames, frames_room, nr_tasks, tasks_room, nr_entries, entries_room;
    bool no_memory;
};

/* Read the stacks of a CPU in the stretches that begin at these trace offsets: from is inclusive, to exclusive. run:
 * its window is set here, its names are used up. before: the TSC at `from`, or 0; end: a TSC that is not reached before
 * `to`, or UINT64_MAX. The caller calls stack_log_free in both cases. false: error says why. */
bool stack_log_read(struct stack_log *log, struct calls_run *run, uint64_t before, uint64_t end, struct error *error);
void stack_log_free(struct stack_log *log);

/* The entry that holds at a moment. NULL: none is known. */
const struct stack_log_entry *stack_log_at(const struct stack_log *log, struct stacks_moment moment);

/* For stacks_watch; context: the log. */
void stack_log_note(void *context, const struct stack_task *task, struct stacks_moment moment);

#endif
