/*
 * Samples for perf: after each period of branches or ticks, the current call stack with its process and task, and the
 * code of its functions. Samples go to a temporary file; perf_directory.c writes what precedes them in perf.data.
 */
#ifndef DECODE_EXPORT_PERF_SAMPLES_H
#define DECODE_EXPORT_PERF_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/calls/calls_run.h"
#include "decode/export/formats.h"
#include "decode/export/perf_code.h"

/* A task of a process. perf identifies a thread by one number, and a thread never changes its process. */
struct perf_thread {
    uint32_t task, process; /* its number in the stacks; its process in the profile */
    uint32_t tid;
    const struct name_thread *thread; /* its last name in the guest's kernel; NULL: unknown */
};

struct perf_samples {
    struct calls_run *run;
    FILE *file;
    enum export_unit unit;
    uint64_t every; /* units from one sample to the next; 1: a sample at each change of functions */
    struct profile profile;
    struct perf_code code;
    struct perf_thread *threads;
    size_t nr_threads, threads_room;
    uint64_t count;
    uint64_t lost; /* units after gaps, whose tasks are unknown */
};

/* perf_event_attr.sample_type of the samples */
#define PERF_SAMPLES_TYPE                                                                                              \
    (PERF_DATA_IP | PERF_DATA_TID | PERF_DATA_TIME | PERF_DATA_CPU | PERF_DATA_PERIOD | PERF_DATA_CALLCHAIN)

/* Decode, and write samples to samples->file. The caller sets run, file, unit and every, and calls perf_samples_free
 * even after an error. false: error says why. */
bool perf_samples_take(struct perf_samples *samples, struct error *error);
void perf_samples_free(struct perf_samples *samples);

#endif
