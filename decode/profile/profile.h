/*
 * A call tree with the branches and the time spent in each node: functions by call path, for each process of the guest,
 * on all CPUs. It is built from what call stacks report. Pure.
 */
#ifndef DECODE_PROFILE_H
#define DECODE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/stack/stacks.h"

/* A function, called by its parent node's function; the root of a process has no name. */
struct profile_node {
    const struct name *name;         /* NULL: a root */
    uint32_t parent, child, sibling; /* nodes, or 0; child: the first one; sibling: the parent's next one */
    enum stack_entry entry;          /* how it was entered the first time */
    uint64_t calls;                  /* how often it was entered */
    uint64_t branches, ticks;        /* its own, without those of the functions that it called; ticks of the TSC */
};

/* A program from its first instruction in user mode on, with all threads; or the kernel's own tasks. */
struct profile_process {
    uint64_t space; /* CR3 in user mode; FLOW_CR3_UNKNOWN: tasks that the trace never shows in user mode */
    uint32_t root;
    uint32_t tasks;               /* those that are in it now */
    const char *name;             /* of the program's file; NULL: not known */
    const struct name_task *task; /* pid and name from the guest's kernel; NULL: not known */
    uint64_t begin_tsc, end_tsc;  /* of its first and its last execution */
};

/* Points in time that reports show: the first execution of each of these. */
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

/* The functions of the kernel whose first execution is a mark. */
#define PROFILE_NR_MARK_SYMBOLS 5u
struct profile_mark_symbol {
    const char *symbol;
    enum profile_mark mark;
};
extern const struct profile_mark_symbol profile_mark_symbols[PROFILE_NR_MARK_SYMBOLS];

struct profile {
    struct profile_node *nodes; /* the first one is not used */
    size_t nr_nodes, room;
    struct profile_process *processes; /* the first one is not used */
    size_t nr_processes;
    uint32_t *places; /* a table of nodes by parent and name */
    size_t size;
    uint64_t lost_branches, lost_ticks; /* executed by an unknown function */
    uint64_t first_tsc, last_tsc, branches;
    struct profile_marked marks[PROFILE_NR_MARKS];
    struct names *names;
    bool no_memory;
};

/* One CPU's part of it: the context of the hooks of its stacks. */
struct profile_cpu {
    struct profile *profile;
    uint64_t tsc;
    bool lost; /* after a gap: what is executed up to the next branch is attributed to no function */
};

/* names: for the names of processes. false: no memory. */
bool profile_init(struct profile *profile, struct names *names);
void profile_free(struct profile *profile);

/* Hooks for stacks_open; cpu must remain valid at its address. */
struct stack_hooks profile_hooks(struct profile_cpu *cpu, struct profile *profile);

/* A function, over all its callers. total: including the functions that it called; recursion is counted once. */
struct profile_function {
    const struct name *name;
    uint64_t calls, branches, ticks, total_branches, total_ticks;
};

/* All functions, or those of the process with this root (0: all), by own branches in descending order. NULL: no memory.
 */
struct profile_function *profile_functions(const struct profile *profile, uint32_t root, size_t *count);

#endif
