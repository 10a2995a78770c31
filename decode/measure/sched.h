/*
 * How long tasks ran, and how long they waited for it. A task that was preempted, or that was switched away from on its
 * way to user mode, waits for a CPU only. A task that called schedule() waits for something else first; the trace does
 * not show when it was woken, so both waits are one. Tasks and switches are those of decode/stack/. Pure.
 */
#ifndef DECODE_MEASURE_SCHED_H
#define DECODE_MEASURE_SCHED_H

#include "decode/measure/name_classes.h"
#include "decode/measure/rows.h"

enum sched_measured {
    SCHED_RUN,      /* from one switch to the next */
    SCHED_RUNNABLE, /* from a switch at which it could have continued, until it ran again */
    SCHED_BLOCKED   /* from any other switch, until it ran again */
};

struct sched {
    struct measure measure;
    struct name_classes classes;
    /* text: the task's number; label: what it is; state: the wait that began last, SCHED_RUN: none; measured: enum
     * sched_measured */
    struct measure_rows rows;
};

/* measure is set. false: error says why. The caller calls sched_free in both cases. */
bool sched_collect(struct sched *sched, struct calls_run *run, struct error *error);
void sched_free(struct sched *sched);

#endif
