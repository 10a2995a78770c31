/*
 * One HTML page of a capture, which holds all that it shows: a time line of each CPU and process, call tree and flame
 * graph, functions, coverage. What draws it is in web/; here its data are made. docs/export.md says what it holds.
 */
#ifndef DECODE_PAGE_H
#define DECODE_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/calls/calls_run.h"

struct page_wishes {
    size_t most_calls; /* on the time line */
    size_t most_ways;  /* of the call tree */
    uint64_t shortest; /* call on the time line, ticks */
};

/* What was written. */
struct page_sums {
    uint64_t calls, merged_calls, least; /* least: the shortest call, ticks */
    uint64_t ways, merged_ways;
};

/* false: error says why. Errors of the file stay in the file. */
bool page_write(FILE *file, struct calls_run *run, const struct page_wishes *wishes, struct page_sums *sums,
                struct error *error);

#endif
