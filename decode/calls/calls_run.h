/*
 * One pass over a capture: its CPUs are decoded, stacks make calls of the branches, and times give each call its time.
 * The results are calls over time (slices.h), a call tree (decode/profile/profile.h), or whatever a listener collects.
 * The report, the HTML page and the exports all make this pass, so that their figures agree.
 */
#ifndef DECODE_CALLS_RUN_H
#define DECODE_CALLS_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/calls/slices.h"
#include "decode/calls/times.h"
#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"
#include "decode/names/names.h"
#include "decode/profile/profile.h"

#define CALLS_ALL_CPUS UINT64_MAX

/* The time base of a capture. */
struct calls_clock {
    bool by_branches; /* the trace has no TSC: the branches of each CPU are its time */
    uint64_t khz;     /* of the TSC; 0: unknown, and a tick counts as a nanosecond */
    uint64_t zero;    /* the first TSC of all traces, in ticks: the origin of seconds */
};

struct calls_run {
    struct capture *capture;
    struct names *names;
    struct calls_clock clock;
    struct times_window window;
    uint64_t cpu;        /* or CALLS_ALL_CPUS */
    const char *process; /* the selected process, as for names_is_process; NULL: all */
    uint64_t cr3;        /* of the selected process; FLOW_CR3_UNKNOWN: process is a name */
    bool process_ran;    /* result: the selected process ran */
    unsigned threads;
    flow_progress *progress;
    void *progress_context;
    /* What became of each CPU's trace, after the last event (stacks_run_decoded); NULL: not needed. */
    void (*decoded)(void *context, uint16_t cpu, const struct flow_run *flow);
    void *decoded_context;
    uint16_t watched; /* the CPU whose stacks are watched, if watch.after is set */
    struct stacks_watch watch;
    unsigned needs;                 /* of these runs: flags of enum flow_need */
    uint64_t branches, decode_gaps; /* results: all branches, and the number of decode gaps */
};

/* Read the time base from the hello record and the first packets. false: error says why. */
bool calls_clock_read(struct calls_clock *clock, const struct capture *capture, struct error *error);

/* Convert ticks to nanoseconds since the clock's zero. Branches stay branches. */
uint64_t calls_nanoseconds(const struct calls_clock *clock, uint64_t ticks);

/* Does an address space at a trace offset of the CPU with these pages belong to the selected process? */
bool calls_is_process(struct calls_run *run, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* Listens to the stacks of all CPUs. begin is called for each CPU before the first event, end after the last event. */
struct calls_listener {
    struct stack_hooks (*begin)(void *context, uint16_t cpu);
    void (*end)(void *context);
    void *context;
    /* Of a listener whose window begins with the trace: instead of the events before some moment that is before this
     * TSC it takes the state of tasks and CPUs (times_save.h). false: no memory. NULL: it needs all events. */
    bool (*resume)(void *context, struct times *times);
    uint64_t resume_before;
};

/* Decode the selected CPUs. false: error says why. */
bool calls_collect(struct calls_run *run, const struct calls_listener *listener, struct error *error);

/* The same into slices or a call tree, which the caller frees even after an error. totals: the call tree of the same
 * pass; NULL: it is not wanted. */
bool slices_collect(struct calls_run *run, struct slices *slices, struct profile *totals, struct error *error);
bool profile_collect(struct calls_run *run, struct profile *profile, struct error *error);

#endif
