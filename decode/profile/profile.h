/*
 * A call tree with what was spent in it: functions by the way that led to them, for each process of the guest, of all
 * CPUs. It is made from what stacks tell. Pure.
 */
#ifndef DECODE_PROFILE_H
#define DECODE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/stack/stacks.h"

/* A function as called by its parent's; the root of a process has no name. */
struct profile_node {
    const struct name *name;         /* NULL: a root */
    uint32_t parent, child, sibling; /* nodes: 0 stands for none; the first child, the next of the same parent */
    enum stack_entry entry;          /* how it was entered the first time */
    uint64_t calls;                  /* how often it was entered */
    uint64_t branches, ticks;        /* of it alone, without what it called; ticks of the TSC */
};

/* What runs in one address space, or the kernel's own tasks. */
struct profile_process {
    uint64_t space; /* CR3 in user mode; FLOW_CR3_UNKNOWN: tasks that were never there, as far as the trace tells */
    uint32_t root;
};

struct profile {
    struct profile_node *nodes; /* the first is none */
    size_t nr_nodes, room;
    struct profile_process *processes;
    size_t nr_processes;
    uint32_t *places; /* a table of nodes by parent and name */
    size_t size;
    uint64_t lost_branches, lost_ticks; /* of which nobody knows whose they are */
    uint64_t first_tsc, last_tsc;
    bool no_memory;
};

/* What one CPU adds to it: the hooks of its stacks. */
struct profile_cpu {
    struct profile *profile;
    uint64_t tsc;
    bool lost; /* what passes up to the next branch is nobody's */
};

/* false: no memory. */
bool profile_init(struct profile *profile);
void profile_free(struct profile *profile);

/* Hooks for stacks_open; cpu must stay where it is. */
struct stack_hooks profile_hooks(struct profile_cpu *cpu, struct profile *profile);

/* A function, wherever it was called. total: with what it called, counted once where it calls itself. */
struct profile_function {
    const struct name *name;
    uint64_t calls, branches, ticks, total_branches, total_ticks;
};

/* All functions, or those of one process (its root; 0: all), most own branches first. NULL: no memory. */
struct profile_function *profile_functions(const struct profile *profile, uint32_t root, size_t *count);

#endif
