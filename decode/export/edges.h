/*
 * Which branches were taken, how often, and what ran between them: counted for a whole trace, in a table that grows
 * with the code and not with the trace. Conditional branches that fall through end nothing.
 */
#ifndef DECODE_EXPORT_EDGES_H
#define DECODE_EXPORT_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/calls/calls_run.h"

enum edge_kind {
    EDGE_TAKEN, /* a branch: the instruction at from led to to */
    EDGE_EVENT, /* an interrupt or exception: before from, to went on */
    EDGE_FELL,  /* a conditional branch at from that was not taken */
    EDGE_RAN    /* instructions one behind another: from the one at from to the end of the last one, to */
};

struct edge {
    uint64_t from, to, count;               /* count 0: an empty place of the table */
    uint64_t space;                         /* CR3; 0: the kernel's half, in all spaces */
    uint64_t linked_from, linked_to;        /* the same as their files have them: names_linked */
    const struct name *name_from, *name_to; /* to of EDGE_RAN: as from */
    uint8_t kind;
    uint8_t last; /* bytes of the instruction that ends EDGE_RAN, if it is a branch, or at from; 0: none */
};

struct edges {
    struct edge *items; /* behind edges_collect by kind, from and to, without empty places */
    size_t size, used;
    bool no_memory;
};

/* Count those of the run's CPUs. false: error says why. */
bool edges_collect(struct edges *edges, struct calls_run *run, struct error *error);
void edges_free(struct edges *edges);

/* The one of this kind, which is EDGE_RAN or another one: it, or the empty place for it. NULL: no memory. */
struct edge *edges_place(struct edges *edges, bool ran, uint64_t from, uint64_t to, uint64_t space);
void edges_sort(struct edges *edges);

#endif
