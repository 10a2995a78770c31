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

/* A program from its first instruction in user mode on, with all threads; or the kernel's own tasks. */
struct profile_process {
    uint64_t space; /* CR3 in user mode; FLOW_CR3_UNKNOWN: tasks that were never there, as far as the trace tells */
    uint32_t root;
    uint32_t tasks;               /* that run in it now */
    const char *name;             /* of the program's file; NULL: not known */
    const struct name_task *task; /* by number and name, as its kernel has it; NULL: not known */
    uint64_t begin_tsc, end_tsc;  /* of the first and the last thing that it did */
};

/* What happened for the first time, and how many branches there were before. */
enum profile_mark {
    PROFILE_KERNEL, /* code of the upper half of the addresses */
    PROFILE_USER,   /* user mode */
    PROFILE_START,  /* Linux by its functions: start_kernel, */
    PROFILE_INIT,   /* kernel_init, which runs initcalls, */
    PROFILE_END,    /* kernel_power_off, kernel_restart or kernel_halt */
    PROFILE_NR_MARKS
};
struct profile_marked {
    bool known;
    uint64_t tsc, branches;
};

struct profile {
    struct profile_node *nodes; /* the first is none */
    size_t nr_nodes, room;
    struct profile_process *processes; /* the first is none */
    size_t nr_processes;
    uint32_t *places; /* a table of nodes by parent and name */
    size_t size;
    uint64_t lost_branches, lost_ticks; /* of which nobody knows whose they are */
    uint64_t first_tsc, last_tsc, branches;
    struct profile_marked marks[PROFILE_NR_MARKS];
    struct names *names;
    bool no_memory;
};

/* What one CPU adds to it: the hooks of its stacks. */
struct profile_cpu {
    struct profile *profile;
    uint64_t tsc;
    bool lost; /* what passes up to the next branch is nobody's */
};

/* Processes are named by names. false: no memory. */
bool profile_init(struct profile *profile, struct names *names);
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
