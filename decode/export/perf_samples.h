/*
 * Samples for perf: at every so many branches or ticks what the stacks are then, of which process and task, and the
 * code that they stand in. The samples are put into a file; what must stand before them, perf_directory.c writes.
 */
#ifndef DECODE_EXPORT_PERF_SAMPLES_H
#define DECODE_EXPORT_PERF_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/calls/calls_run.h"
#include "decode/export/formats.h"
#include "decode/export/perf_code.h"

/* A task of a process: perf knows threads by one number, and each has one process for good. */
struct perf_thread {
    uint32_t task, process; /* the stacks' number; the profile's process */
    uint32_t tid;
    const struct name_thread *thread; /* as its kernel called it last; NULL: not known */
};

struct perf_samples {
    struct calls_run *run;
    FILE *file;
    enum export_unit unit;
    uint64_t every; /* a sample at each so many; 1: whenever another function has some */
    struct profile profile;
    struct perf_code code;
    struct perf_thread *threads;
    size_t nr_threads, threads_room;
    uint64_t count;
    uint64_t lost; /* branches or ticks of which nobody knows whose they are */
};

/* perf_event_attr.sample_type of them */
#define PERF_SAMPLES_TYPE                                                                                              \
    (PERF_DATA_IP | PERF_DATA_TID | PERF_DATA_TIME | PERF_DATA_CPU | PERF_DATA_PERIOD | PERF_DATA_CALLCHAIN)

/* Decode, and write them to samples->file; run, file, unit and every are set. perf_samples_free is needed in both
 * cases. false: error says why. */
bool perf_samples_take(struct perf_samples *samples, struct error *error);
void perf_samples_free(struct perf_samples *samples);

#endif
