/*
 * Where a guest's branches and time went: phases of its boot, processes, functions, system calls and interrupts. At
 * most 100 columns.
 */
#ifndef DECODE_PROFILE_REPORT_H
#define DECODE_PROFILE_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "decode/profile/profile.h"

/* A span of time between two marks, or between a mark and the trace's beginning or end. */
struct profile_phase {
    const char *name;
    uint64_t from_tsc, to_tsc, branches;
};
#define PROFILE_MAX_PHASES (PROFILE_NR_MARKS + 1u)

/* List the phases in order. Returns their number. */
size_t profile_phases(struct profile_phase *phases, const struct profile *profile);

/* List interrupts or system calls by the first function they enter, with everything that ran until they returned; most
 * branches first. NULL: there are none, or out of memory. */
struct profile_function *profile_entries(const struct profile *profile, enum stack_entry entry, size_t *count);

/* For qsort of struct profile_function: most total branches first, equal ones by address. */
int profile_by_total(const void *left, const void *right);

/* List processes by number, most branches first, with the sums below their roots. NULL: out of memory. */
struct profile_sum {
    size_t process;
    uint64_t branches, ticks;
};
struct profile_sum *profile_sums(const struct profile *profile, size_t *count);

/* What is printed of a profile. */
struct profile_view {
    const struct profile *profile;
    uint64_t khz;    /* of the TSC; 0: unknown, times are omitted */
    uint64_t origin; /* TSC: points in time are since then */
    bool window;     /* it is that of a window of the trace, so that no phase begins in it */
    bool colour;     /* for a terminal */
};

/* Print the tables. */
void profile_print(FILE *file, const struct profile_view *view);

/* Write the same without limits as a member "profile" of an object. docs/report.md lists the fields. */
void profile_json(FILE *file, const struct profile_view *view);

#endif
