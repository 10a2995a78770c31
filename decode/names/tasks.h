/*
 * Tasks of a Linux guest's, by number and name, as RECORD_TASK tells them: which process an address space is of, at a
 * place of a CPU's trace.
 *
 * A record says what ran on one CPU at one moment. It holds for its space on all CPUs from then on, up to the next one:
 * on another CPU from its own first record behind that moment on. A process that has executed nothing in its space yet
 * has the next one. What a task that only borrows its parent's space (vfork) is called does not name the space. Where
 * the kernel has a CR3 of its own for each process (page table isolation), both are one space. Pure.
 */
#ifndef DECODE_NAMES_TASKS_H
#define DECODE_NAMES_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

#define TASK_COMM_SIZE (RECORD_TASK_COMM + 1u)

/* A process as it was called when a record came. */
struct name_task {
    uint32_t pid;              /* the process's number: its first thread's */
    char comm[TASK_COMM_SIZE]; /* its first thread's name, if a record tells it, else that of the thread that ran */
    char text[TASK_COMM_SIZE + 16]; /* "comm (pid)" */
};

/* A thread as it was called when a record came that told of it. */
struct name_thread {
    uint32_t tid;
    char comm[TASK_COMM_SIZE];
    char text[TASK_COMM_SIZE + 16];  /* "comm (tid)": where it is the process's first one, the process's text */
    const struct name_task *process; /* whose it is */
};

struct task_seen {
    uint64_t space, tsc, at; /* at: the trace offset of cpu */
    uint16_t cpu;
    uint32_t pid, tgid;
    bool borrows;
    char comm[TASK_COMM_SIZE]; /* what is no printable ASCII is '?' */
    struct name_task process;
    struct name_thread thread;
};

/* A CPU's trace offsets and the times at which it was there, both rising. */
struct task_clock {
    struct task_step {
        uint64_t offset, tsc;
    } * steps;
    size_t count;
};

struct tasks {
    struct task_seen *seen; /* by space, then time */
    size_t count;
    const struct task_seen **told; /* the same, by CPU, then trace offset */
    size_t nr_processes;           /* different ones */
    uint64_t mask;                 /* what of a CR3 tells spaces apart */
    struct task_clock clocks[CAPTURE_MAX_CPUS];
};

/* false: no memory. */
bool tasks_collect(struct tasks *tasks, const struct capture *capture);
void tasks_free(struct tasks *tasks);

/* A record of the kind. false: it is none. */
bool task_read(struct task_seen *task, const struct capture_record *record);

/* The process of a space (CR3) at a trace offset of a CPU, and up to which trace offset of that CPU the answer holds:
 * it is good before *until. NULL: no record tells. */
const struct name_task *tasks_find_until(const struct tasks *tasks, uint16_t cpu, uint64_t cr3, uint64_t at,
                                         uint64_t *until);

/* The thread that a CPU's last record behind `after`, up to `at`, tells of: it ran there then. NULL: there is none. */
const struct name_thread *tasks_told(const struct tasks *tasks, uint16_t cpu, uint64_t after, uint64_t at);

#endif
