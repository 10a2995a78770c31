/*
 * Names for a capture that grows. Names are opened for the capture as it is, used for a while, and opened again,
 * because later pages may be of further files; this takes at most a tenth of the time. What has no name yet waits.
 */
#ifndef DECODE_LIVE_LIVE_NAMES_H
#define DECODE_LIVE_LIVE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/code/code_pages.h"
#include "decode/live/live_counts.h"
#include "decode/live/live_table.h"
#include "decode/names/names.h"
#include "decode/profile/profile.h"

/* Open the names of a capture. NULL: there are none. */
typedef struct names *live_names_open(void *context, const struct capture *capture);

struct live_names {
    const char *directory;
    live_names_open *open;
    void *context;
    struct capture *capture;
    struct names *names;
    struct code_pages *pages; /* of each CPU of the capture */
    double opened, cost;      /* monotonic seconds: when they were opened, and how long that took */
    uint64_t khz;             /* of the TSC, by the capture; 0: not known */
};

/* The functions and processes, and the phases of the boot, which marks delimit. */
struct live_sums {
    struct live_table functions, processes;
    struct profile_marked marks[PROFILE_NR_MARKS];
};

/* Add what is counted to the sums, as far as it has names, and leave the rest counted. last: the capture is whole; all
 * is added. */
void live_names_resolve(struct live_names *live, struct live_counts *counts, struct live_sums *sums, bool last);

/* The function at an address that a CPU executed last, "schedule+0x12" or a number. Returns text. */
#define LIVE_PLACE_SIZE 128u
const char *live_names_place(struct live_names *live, char text[LIVE_PLACE_SIZE], unsigned cpu, uint64_t address);

void live_names_close(struct live_names *live);

#endif
