/*
 * Which addresses of which address spaces executed how many branches, since they were last given names. A transfer, and
 * the conditional branches before it, belong to the address that the transfer comes from, as in the report. Pure.
 */
#ifndef DECODE_LIVE_LIVE_COUNTS_H
#define DECODE_LIVE_LIVE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/engine/batch.h"

/* What decoding must yield. */
#define LIVE_COUNTS_NEEDS (FLOW_NEED_TRANSFERS | FLOW_NEED_CONTEXT | FLOW_NEED_TIME)

/* An address, and the first time that it was seen. */
struct live_spot {
    uint64_t address, cr3; /* cr3 0: of the kernel's half, which all spaces share */
    uint64_t branches;     /* 0: the slot is free */
    uint64_t at;           /* the trace offset of its CPU at which it was executed last */
    uint64_t tsc;          /* of its first execution; 0: not known */
    uint64_t after;        /* so many branches of all CPUs had been counted before it */
    uint16_t cpu;
};

/* What a CPU executed in one space, in one stretch of trace. */
struct live_run {
    uint64_t cr3, at, branches;
    uint16_t cpu;
    bool user; /* some of it in the lower half of the addresses */
};

/* A transfer of the present stretch, which does not count before the stretch is kept. */
struct live_step {
    uint64_t address, cr3, at, tsc, branches;
    bool enters_user;
};

struct live_counts {
    struct live_spot *spots;
    size_t size, used; /* size: a power of two, or 0 */
    struct live_run *runs;
    size_t nr_runs, runs_room;
    struct live_step *steps;
    size_t nr_steps, steps_room;
    uint64_t last_to[CAPTURE_MAX_CPUS]; /* of each CPU's last transfer */
    uint64_t branches, first_tsc, last_tsc;
    bool user_known;               /* the kernel has returned to user mode: */
    uint64_t user_tsc, user_after; /* the first time */
    bool full;                     /* memory ran out: some branches are not counted */
};

/* Take a batch of the stretch: its items, or its end. */
void live_counts_take(struct live_counts *counts, const struct flow_batch *batch);

/* The stretch has ended. kept: it counts; else it will come again. */
void live_counts_settle(struct live_counts *counts, uint16_t cpu, bool kept);

/* Add to a spot, or to the last run. */
void live_counts_put_spot(struct live_counts *counts, const struct live_spot *spot);
void live_counts_put_run(struct live_counts *counts, const struct live_run *run);

/* Spots and runs become those of rest, which has nothing else and gives them away. */
void live_counts_replace(struct live_counts *counts, struct live_counts *rest);
void live_counts_free(struct live_counts *counts);

#endif
