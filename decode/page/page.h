/*
 * One self-contained HTML page of a capture: a time line of each CPU and process, call tree and flame graph, functions,
 * coverage. This room makes the data; web/ draws it. docs/export.md describes the page.
 */
#ifndef DECODE_PAGE_H
#define DECODE_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/calls/calls_run.h"

struct page_limits {
    size_t most_calls; /* maximum number on the time line */
    size_t most_ways;  /* maximum number of nodes of the call tree */
    uint64_t shortest; /* minimum length of calls on the time line, ticks */
    bool served;       /* the page comes from a server, which it may ask for windows (decode/serve/serve.h) */
};

/* Sums of what was written. */
struct page_sums {
    uint64_t calls, merged_calls, least; /* least: length of the shortest call, ticks */
    uint64_t ways, merged_ways;
};

/* false: error says why. Errors of the stream remain in the stream. */
bool page_write(FILE *file, struct calls_run *run, const struct page_limits *limits, struct page_sums *sums,
                struct error *error);

/* The data of such a page without the page, as a JSON object of the facts and the columns: for a page of the whole
 * trace that shows run's window in detail. Same results as page_write's. */
bool page_write_window(FILE *file, struct calls_run *run, const struct page_limits *limits, struct page_sums *sums,
                       struct error *error);

#endif
