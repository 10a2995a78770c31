/*
 * Of the calls of some functions, the one that begins next after a call or a moment, or the last one before it. Pure.
 */
#ifndef DECODE_MEASURE_NEAREST_CALL_H
#define DECODE_MEASURE_NEAREST_CALL_H

#include "decode/measure/name_classes.h"
#include "decode/measure/open_calls.h"

/* Calls in their order: by time, then by CPU, then as the CPU executed them. */
struct call_place {
    uint64_t tsc; /* as in struct open_call */
    uint32_t cpu;
    uint32_t nth; /* of the calls of these functions that begin on the CPU at this time, from 0 on */
};

struct nearest_call {
    bool (*matches)(void *context, const struct name *name);
    void *context;
    bool before;            /* the last one before `than`, otherwise the first one after it */
    struct call_place than; /* need not be a call */
    /* results */
    const struct name *name; /* NULL: no such call was seen */
    struct call_place place;
    /* private */
    struct name_classes classes;
    struct {
        uint64_t tsc;
        uint32_t count;
    } cpus[CAPTURE_MAX_CPUS]; /* the calls that began last */
};

/* See the calls that begin from one TSC to another, at least, and perhaps earlier ones. May be called again for other
 * times: the result is the nearest of all calls that were seen. run gets the window's end. false: error says why. */
bool nearest_call_search(struct nearest_call *call, struct calls_run *run, uint64_t from, uint64_t to,
                         struct error *error);

/* The hook of struct open_hooks for that: context is the struct nearest_call. */
void nearest_call_begins(void *context, struct open_task *task, uint64_t tsc);

#endif
