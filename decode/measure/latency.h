/* How long the calls of functions took. Pure. */
#ifndef DECODE_MEASURE_LATENCY_H
#define DECODE_MEASURE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/measure/measured.h"
#include "decode/measure/name_classes.h"

struct latency_function {
    const struct name *name;
    struct measured measured;
};

struct latency {
    bool (*matches)(void *context, const struct name *name); /* is this function measured? */
    void *context;
    struct measure measure;
    struct latency_function *functions; /* result: those that were called, by their names' addresses */
    size_t count, room;
    struct name_classes classes; /* 1: not measured, otherwise the index plus 2 */
    bool no_memory;
};

/* matches, context and measure are set. false: error says why. The caller calls latency_free in both cases. */
bool latency_collect(struct latency *latency, struct calls_run *run, struct error *error);
void latency_free(struct latency *latency);

#endif
