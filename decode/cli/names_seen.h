/* Which functions were entered, and how often, in which space: of all CPUs. */
#ifndef DECODE_CLI_NAMES_SEEN_H
#define DECODE_CLI_NAMES_SEEN_H

#include <stdbool.h>
#include <stdio.h>

#include "decode/flow/flow_trace.h"
#include "decode/names/names.h"

struct names_row {
    uint64_t space; /* NAMES_ALL_SPACES: the kernel's half */
    const struct name *name;
    const char *process; /* NULL: not known */
    uint64_t count;
};
#define NAMES_ALL_SPACES 1u /* no CR3 is so low */

/* Where branches of a stretch led, until its end says of when that was. */
struct names_target {
    uint64_t cr3, to, count; /* count 0: the place is free */
};

struct names_seen {
    const struct capture *capture;
    struct names *names;
    struct flow_trace *traces; /* of each CPU: names know them apart by where they are */
    struct flow_trace *trace;  /* the one that is decoded */
    struct names_target *targets;
    size_t nr_targets, targets_size;
    struct names_row *rows;
    size_t nr_rows, rows_size;
    bool no_memory;
};

/* false: no memory; nothing is to be closed. */
bool names_seen_open(struct names_seen *seen, const struct capture *capture, struct names *names);
void names_seen_close(struct names_seen *seen);

/* Decode a CPU. whole: nothing was left out. false: error says why. */
bool names_seen_add(struct names_seen *seen, uint16_t cpu, unsigned threads, bool *whole, struct error *error);

/* By space and address. */
void names_seen_print(FILE *file, const struct names_seen *seen);

#endif
