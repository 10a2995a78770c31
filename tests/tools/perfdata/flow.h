/*
 * What perf needs for the flow beyond packets: the code, where it stands, the ranges of the IP filter.
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

struct flow {
    char *name; /* the code's file, or NULL */
    uint64_t size;
    uint64_t bases[FLOW_MAX];
    unsigned nr_bases;
    struct flow_range ranges[FLOW_MAX];
    unsigned nr_ranges;
    uint64_t config;    /* perf_event_attr.config */
    uint64_t reference; /* the first TSC packet's value: perf takes no notice of TSC packets far from it. 0: none */
};

/* IMAGE BASE CTL [at=BASE | filter=FIRST-LAST | stop=FIRST-LAST]... false, and a message: they make no sense. */
bool flow_arguments(struct flow *flow, char **arguments, int nr);

/* The ranges in perf's own words, "" for none. Free it. */
char *flow_filter(const struct flow *flow);

#endif
