/*
 * Inside of flow_merge.c: the stretches of a CPU on their way into the list. Threads take them in order, decode them
 * side by side, and make text of them when the time of the one before is known; the list takes them in order.
 */
#ifndef DECODE_FLOW_MERGE_CPU_H
#define DECODE_FLOW_MERGE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/flow_merge.h"
#include "decode/flow/flow_trace.h"

/* Branches of one time. */
struct merge_run {
    uint64_t tsc;
    size_t count;
    size_t text_end; /* of their text, in the stretch's */
};

enum merge_state { MERGE_FREE, MERGE_DECODING, MERGE_DECODED, MERGE_FORMATTING, MERGE_READY };

struct merge_stretch {
    enum merge_state state;
    struct flow_stretch stretch;
    struct flow_result result;
    struct flow_branch *branches;
    struct merge_run *runs;
    char *text;
    size_t nr_branches, branches_room, nr_runs, runs_room, text_room;
    uint64_t floor; /* the time of the branches before: time never goes back */
    bool no_memory;
    size_t run; /* the next one of the list */
};

/* An engine, and what it decodes; NULL: nothing. */
struct merge_seat {
    struct flow *flow;
    struct merge_stretch *stretch;
};

struct merge_cpu {
    uint16_t cpu;
    struct flow_trace trace;
    struct flow_cursor cursor;
    bool at_end; /* the cursor is */
    struct merge_stretch *ring;
    size_t depth;              /* of the ring */
    size_t taken, known, next; /* stretches that have been taken to be decoded; whose floor is known; of the list */
    uint64_t tsc;              /* at the end of the last one whose floor is known */
    struct merge_seat *seats;
    size_t nr_seats;
    uint64_t lost; /* spans that tell of branches, with no PSB before them */
    uint64_t passed;
    struct merge_stretch *head; /* whose branches the list takes; it alone looks at this */
};

/* depth: how many stretches may be on their way; seats: how many of them may be decoded at once. false: error says why.
 * merge_cpu_close is needed in both cases. */
bool merge_cpu_open(struct merge_cpu *cpu, const struct capture *capture, uint16_t number, size_t depth, size_t seats,
                    struct error *error);
void merge_cpu_close(struct merge_cpu *cpu);

/* --- with the lock
 * ----------------------------------------------------------------------------------------------------
 */

/* Take the next stretch to be decoded. NULL: there is none, no room for it, or no seat. */
struct merge_seat *merge_cpu_take(struct merge_cpu *cpu);

/* Take one to be made text of. NULL: none is ready for it. */
struct merge_stretch *merge_cpu_take_decoded(struct merge_cpu *cpu);

/* It was decoded. */
void merge_cpu_put(struct merge_cpu *cpu, struct merge_seat *seat);

/* The next one of the list; NULL: it is not there yet, or there is none any more. */
struct merge_stretch *merge_cpu_head(const struct merge_cpu *cpu);
bool merge_cpu_is_empty(const struct merge_cpu *cpu);

/* The head is through. */
void merge_cpu_drop(struct merge_cpu *cpu);

/* --- without it
 * -------------------------------------------------------------------------------------------------------
 */

void merge_stretch_decode(struct merge_seat *seat);
void merge_stretch_format(struct merge_stretch *stretch, uint16_t cpu, const struct flow_merge_options *options);

#endif
