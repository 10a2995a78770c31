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

/* The time of a capture. */
struct calls_clock {
    bool by_branches; /* there is no TSC in the trace: branches of each CPU are counted instead */
    uint64_t khz;     /* of the TSC; 0: not known, a tick counts as a nanosecond */
    uint64_t zero;    /* the first TSC of all traces, in ticks: where seconds are counted from */
};

struct calls_run {
    struct capture *capture;
    struct names *names;
    struct calls_clock clock;
    struct times_window window;
    uint64_t cpu;        /* or CALLS_ALL_CPUS */
    const char *process; /* that is wanted, as names_is_process has it; NULL: any */
    uint64_t cr3;        /* FLOW_CR3_UNKNOWN: it is by its name */
    bool process_ran;    /* found: it did */
    unsigned threads;
    flow_progress *progress;
    void *progress_context;
    uint64_t branches, decode_gaps; /* found: in all, and places that could not be decoded */
};

/* What the hello record and the first packets say. false: error says why. */
bool calls_clock_read(struct calls_clock *clock, const struct capture *capture, struct error *error);

/* Ticks as nanoseconds since the clock's zero; branches stay what they are. */
uint64_t calls_nanoseconds(const struct calls_clock *clock, uint64_t ticks);

/* Is it of the wanted process, what runs in a space at a trace offset of the CPU whose pages these are? */
bool calls_is_process(struct calls_run *run, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* Who listens to the stacks of all CPUs: begin is called for each of them before anything is told, end when all was. */
struct calls_listener {
    struct stack_hooks (*begin)(void *context, uint16_t cpu);
    void (*end)(void *context);
    void *context;
};

/* Decode the CPUs. false: error says why. */
bool calls_collect(struct calls_run *run, const struct calls_listener *listener, struct error *error);

/* The same into calls, or into a call tree. What they are made of is theirs to free in both cases. */
bool slices_collect(struct calls_run *run, struct slices *slices, struct error *error);
bool profile_collect(struct calls_run *run, struct profile *profile, struct error *error);

#endif
