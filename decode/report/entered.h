/* The functions that were entered on all CPUs, with their counts, by address space. */
#ifndef DECODE_REPORT_ENTERED_H
#define DECODE_REPORT_ENTERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/flow_trace.h"
#include "decode/names/names.h"

struct entered_row {
    uint64_t space; /* or NAMES_ALL_SPACES: the kernel's half */
    const struct name *name;
    const char *process; /* NULL: unknown */
    uint64_t count;
};
#define NAMES_ALL_SPACES 1u /* not a valid CR3 */

/* Targets of branches in a stretch, until its end gives them a trace offset. */
struct entered_target {
    uint64_t cr3, to, count; /* count 0: a free slot */
};

struct entered {
    const struct capture *capture;
    struct names *names;
    struct flow_trace *traces; /* of each CPU; names identifies a trace by its address */
    struct flow_trace *trace;  /* the trace that is being decoded */
    struct entered_target *targets;
    size_t nr_targets, targets_size;
    struct entered_row *rows;
    size_t nr_rows, rows_size;
    bool no_memory;
};

/* false: out of memory; there is nothing to close. */
bool entered_open(struct entered *seen, const struct capture *capture, struct names *names);
void entered_close(struct entered *seen);

/* Decode a CPU. whole: everything was decoded. false: error says why. */
bool entered_add(struct entered *seen, uint16_t cpu, unsigned threads, bool *whole, struct error *error);

#endif
