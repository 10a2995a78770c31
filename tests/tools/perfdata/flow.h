/*
 * What perf needs for the flow in addition to packets: the code, its addresses, the ranges of the IP filter.
 */
#ifndef PERFDATA_FLOW_H
#define PERFDATA_FLOW_H

#include <stdbool.h>

#include "buffer.h"

#define FLOW_MAX 8u

struct flow_range {
    bool stop; /* TraceStop, or a filter */
    uint64_t first, last;
};

/* The addresses of a file's code. */
struct flow_code {
    char *name; /* the path */
    uint64_t at, size, offset;
};

struct flow {
    struct flow_code code[FLOW_MAX]; /* a later one hides an earlier one at the same addresses */
    unsigned nr_code;
    struct flow_range ranges[FLOW_MAX];
    unsigned nr_ranges;
    uint64_t config;    /* perf_event_attr.config */
    uint64_t reference; /* the first TSC packet's value: perf takes no notice of TSC packets far from it. 0: none */
};

/* IMAGE BASE CTL [at=BASE | code32=FIRST-LAST:FILE | filter=FIRST-LAST | stop=FIRST-LAST]... false, and a message: they
 * make no sense. */
bool flow_arguments(struct flow *flow, char **arguments, int nr);

void flow_free(struct flow *flow);

/* The ranges in perf's own words, "" for none. Free it. */
char *flow_filter(const struct flow *flow);

#endif
