/*
 * The calls of each task of a boot as trees (call_trees.h). Interrupts and
 * exceptions are kept apart: where they happen is a matter of time, not of what
 * the task does. Pure.
 */
#ifndef DECODE_ALIGN_TASK_CALLS_H
#define DECODE_ALIGN_TASK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/align/call_trees.h"
#include "decode/measure/open_calls.h"

/* Entries and returns of a task are its events, numbered from 0. A time that
 * they have in common is kept once; above so many in all, times that are closer
 * to each other than `least` ticks count as one. 16 bytes each. */
#define TASK_TIMES_MOST (1u << 22)

struct task_time {
    uint64_t event, tsc;
};

/* An open call: where the trees that it has called begin. */
struct task_frame {
    uint32_t function;
    size_t first;
    bool interrupt; /* its own frame, not of what it calls */
};

struct task_calls {
    char label[64]; /* what it is compared by: its thread's name, else of its
                       program, else its first function */
    char text[96];  /* the same with its number */
    const struct name_thread *thread;
    uint64_t space;
    struct task_frame *frames;
    size_t depth, frame_room;
    struct call_item *items; /* of all open frames, those of the innermost last */
    size_t nr_items, item_room;
    size_t interrupts; /* how many frames of interrupts are open */
    uint64_t events;   /* outside of interrupts */
    uint32_t tree;     /* of all calls that no other one called, once the trace has
                          ended */
    struct task_time *times;
    size_t nr_times, time_room;
};

/* Interrupts and exceptions that a function handled. */
struct task_interrupt {
    uint32_t function;
    uint64_t count, calls;
};

struct boot_calls {
    struct call_trees *trees;
    struct names *names;
    struct task_calls *tasks; /* in the order in which they were seen */
    size_t count, room;
    struct task_interrupt *interrupts;
    size_t nr_interrupts, interrupt_room;
    uint32_t *functions; /* of each name, plus 1 */
    size_t function_room;
    uint64_t least, nr_times; /* ticks; of all tasks */
    uint64_t calls;           /* of all tasks, outside of interrupts */
    uint64_t until;           /* trees were full at this time: what follows is left out. 0:
                                 nothing is */
    bool no_memory;
};

/* Decode the capture of the run. false: error says why. */
bool boot_calls_collect(struct boot_calls *boot, struct call_trees *trees, struct calls_run *run, struct error *error);
void boot_calls_free(struct boot_calls *boot);

/* When an event of a task was. */
uint64_t task_calls_time(const struct task_calls *task, uint64_t event);

/* The hooks, for boot_calls_collect and for tests. */
struct open_hooks boot_calls_hooks(struct boot_calls *boot);

/* After the last event: the trees of all tasks. */
void boot_calls_end(struct boot_calls *boot);

#endif
