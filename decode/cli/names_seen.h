/* The functions that were entered on all CPUs, with their counts, by address space. */
#ifndef DECODE_CLI_NAMES_SEEN_H
#define DECODE_CLI_NAMES_SEEN_H

#include <stdbool.h>
#include <stdio.h>

#include "decode/flow/flow_trace.h"
#include "decode/names/names.h"

struct names_row {
    uint64_t space; /* or NAMES_ALL_SPACES: the kernel's half */
    const struct name *name;
    const char *process; /* NULL: unknown */
    uint64_t count;
};
#define NAMES_ALL_SPACES 1u /* not a valid CR3 */

/* Targets of branches in a stretch, until its end gives them a trace offset. */
struct names_target {
    uint64_t cr3, to, count; /* count 0: a free slot */
};

struct names_seen {
    const struct capture *capture;
    struct names *names;
    struct flow_trace *traces; /* of each CPU; names identifies a trace by its address */
    struct flow_trace *trace;  /* the trace that is being decoded */
    struct names_target *targets;
    size_t nr_targets, targets_size;
    struct names_row *rows;
    size_t nr_rows, rows_size;
    bool no_memory;
};

/* false: out of memory; there is nothing to close. */
bool names_seen_open(struct names_seen *seen, const struct capture *capture, struct names *names);
void names_seen_close(struct names_seen *seen);

/* Decode a CPU. whole: everything was decoded. false: error says why. */
bool names_seen_add(struct names_seen *seen, uint16_t cpu, unsigned threads, bool *whole, struct error *error);

/* Print them by space and address. */
void names_seen_print(FILE *file, const struct names_seen *seen);

#endif
