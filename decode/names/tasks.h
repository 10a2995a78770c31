/*
 * The tasks of a Linux guest by number and name, from TASK records: which process an address space belongs to at an
 * offset of a CPU's trace.
 *
 * A TASK record says which task ran on one CPU at one time. It names its space on all CPUs until the next TASK record
 * of the space. On another CPU, whose offsets are not comparable, it takes effect at that CPU's first record with a
 * later time. Before the first TASK record of a space, that record names it. A task that borrows its parent's space
 * (vfork) does not name it. With page table isolation the two CR3s of a process are one space. Pure.
 */
#ifndef DECODE_NAMES_TASKS_H
#define DECODE_NAMES_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

#define TASK_COMM_SIZE (RECORD_TASK_COMM + 1u)

/* A process, with the name that it had at the time of a record. */
struct name_task {
    uint32_t pid;                   /* the number of its first thread */
    char comm[TASK_COMM_SIZE];      /* the name of its first thread if a record has it, else of the thread that ran */
    char text[TASK_COMM_SIZE + 16]; /* "comm (pid)" */
};

/* A thread, with the name that it had at the time of its record. */
struct name_thread {
    uint32_t tid;
    char comm[TASK_COMM_SIZE];
    char text[TASK_COMM_SIZE + 16]; /* "comm (tid)": for the first thread the same as the process's text */
    const struct name_task *process;
};

/* A TASK record. */
struct task_seen {
    uint64_t space, tsc, at; /* at: the trace offset of cpu */
    uint16_t cpu;
    uint32_t pid, tgid;
    bool borrows;
    char comm[TASK_COMM_SIZE]; /* '?' in place of bytes that are not printable ASCII */
    struct name_task process;
    struct name_thread thread;
};

/* Trace offsets of a CPU and their times; both increase. */
struct task_clock {
    struct task_step {
        uint64_t offset, tsc;
    } * steps;
    size_t count;
};

struct tasks {
    struct task_seen *seen; /* sorted by space, then time */
    size_t count;
    const struct task_seen **by_cpu; /* the same, sorted by CPU, then trace offset */
    size_t nr_processes;             /* different TGIDs */
    uint64_t mask;                   /* the bits of CR3 that distinguish spaces */
    struct task_clock clocks[CAPTURE_MAX_CPUS];
};

/* false: out of memory. */
bool tasks_collect(struct tasks *tasks, const struct capture *capture);
void tasks_free(struct tasks *tasks);

/* Parse a record. false: it is not a TASK record. */
bool task_read(struct task_seen *task, const struct capture_record *record);

/* The process of a space (CR3) at a trace offset of a CPU. The answer holds for offsets before *until. NULL: no record
 * names the space. */
const struct name_task *tasks_find_until(const struct tasks *tasks, uint16_t cpu, uint64_t cr3, uint64_t at,
                                         uint64_t *until);

/* The thread of a CPU's last TASK record with an offset in (after, at]: it ran there then. NULL: there is none. */
const struct name_thread *tasks_last_thread(const struct tasks *tasks, uint16_t cpu, uint64_t after, uint64_t at);

#endif
