/*
 * Counts the executed branches and the code between them, for a whole trace. The table grows with the code and not with
 * the trace. A conditional branch that falls through does not end a run of instructions.
 */
#ifndef DECODE_EXPORT_EDGES_H
#define DECODE_EXPORT_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/calls/calls_run.h"

enum edge_kind {
    EDGE_TAKEN, /* a taken branch: the instruction at from led to to */
    EDGE_EVENT, /* an interrupt or exception before from; execution continued at to */
    EDGE_FELL,  /* a conditional branch at from that was not taken */
    EDGE_RAN    /* consecutive instructions from the one at from to the end of the last one, to */
};

struct edge {
    uint64_t from, to, count;               /* count 0: a free slot */
    uint64_t space;                         /* CR3; 0: the kernel's half, which all spaces share */
    uint64_t linked_from, linked_to;        /* the same as addresses of their files: names_linked */
    const struct name *name_from, *name_to; /* EDGE_RAN: both of from */
    uint8_t kind;
    uint8_t last; /* length of the branch that ends EDGE_RAN, or of the instruction at from; 0: none */
};

struct edges {
    struct edge *items; /* after edges_collect: by kind, from and to, without free slots */
    size_t size, used;
    bool no_memory;
};

/* Count the branches of the run's CPUs. false: error says why. */
bool edges_collect(struct edges *edges, struct calls_run *run, struct error *error);
void edges_free(struct edges *edges);

/* Find the edge (ran: EDGE_RAN), or the free slot for it. NULL: out of memory. */
struct edge *edges_place(struct edges *edges, bool ran, uint64_t from, uint64_t to, uint64_t space);
void edges_sort(struct edges *edges);

#endif
