/*
 * What a capture says, written as files that other tools read: docs/export.md lists them. Nothing is decoded twice: one
 * pass fills calls (slices.h), a call tree (profile.h) or branches (edges.h), from which a format is written.
 */
#ifndef DECODE_EXPORT_H
#define DECODE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/capture/capture.h"
#include "decode/export/slices.h"
#include "decode/export/times.h"
#include "decode/flow/flow_run.h"
#include "decode/names/names.h"
#include "decode/profile/profile.h"

#define EXPORT_ALL_CPUS UINT64_MAX

/* The time of a capture. */
struct export_clock {
    bool by_branches; /* there is no TSC in the trace: branches of each CPU are counted instead */
    uint64_t khz;     /* of the TSC; 0: not known, a tick counts as a nanosecond */
    uint64_t zero;    /* the first TSC of all traces, in ticks: where seconds are counted from */
};

struct export_run {
    struct capture *capture;
    struct names *names;
    struct export_clock clock;
    struct times_window window;
    uint64_t cpu;        /* or EXPORT_ALL_CPUS */
    const char *process; /* that is wanted, as names_is_process has it; NULL: any */
    uint64_t cr3;        /* FLOW_CR3_UNKNOWN: it is by its name */
    bool process_ran;    /* found: it did */
    unsigned threads;
    flow_progress *progress;
    void *progress_context;
    uint64_t branches, decode_gaps; /* found: in all, and places that could not be decoded */
};

/* What the hello record and the first packets say. false: error says why. */
bool export_clock_read(struct export_clock *clock, const struct capture *capture, struct error *error);

/* Ticks as nanoseconds since the clock's zero; branches stay what they are. */
uint64_t export_nanoseconds(const struct export_clock *clock, uint64_t ticks);

/* Is it of the wanted process, what runs in a space at a trace offset of the CPU whose pages these are? */
bool export_is_process(struct export_run *run, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* Who listens to the stacks of all CPUs: begin is called for each of them before anything is told, end when all was. */
struct export_listener {
    struct stack_hooks (*begin)(void *context, uint16_t cpu);
    void (*end)(void *context);
    void *context;
};

/* Decode the CPUs. false: error says why. */
bool export_stacks(struct export_run *run, const struct export_listener *listener, struct error *error);

/* The same into calls, or into a call tree. What they are made of is theirs to free in both cases. */
bool export_slices(struct export_run *run, struct slices *slices, struct error *error);
bool export_profile(struct export_run *run, struct profile *profile, struct error *error);

#endif
