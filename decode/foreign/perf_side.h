/*
 * The sideband of perf.data: the programs, their mappings, and when each ran on which CPU. The file has the records of
 * one CPU after those of another; they are processed in order of time.
 */
#ifndef DECODE_FOREIGN_PERF_SIDE_H
#define DECODE_FOREIGN_PERF_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/perf_file.h"

/* An executable mapping of a file. */
struct perf_mapping {
    uint64_t time; /* perf's nanoseconds; 0: before the trace */
    uint64_t gva, size, offset;
    const char *name; /* in the record: up to a 0, or name_size bytes */
    size_t name_size;
};

/* A process since its fork or its last exec. */
struct perf_program {
    uint32_t pid;
    struct perf_mapping *mappings; /* by time: from its time on, one hides those before it */
    size_t nr_mappings, room;
};

#define PERF_NO_PROGRAM SIZE_MAX

/* The program runs on the CPU from this time on. */
struct perf_switch {
    uint64_t time;
    uint32_t cpu, tid; /* UINT32_MAX: not known */
    size_t program;
};

struct perf_side {
    struct perf_program *programs;
    size_t nr_programs, programs_room;
    struct perf_switch *switches; /* by time */
    size_t nr_switches, switches_room;
    uint32_t first_pid; /* the first traced process; UINT32_MAX: not known */
};

/* Read the records of the file, which must outlive side. false: error says why. perf_side_free is needed in both
 * cases. */
bool perf_side_read(struct perf_side *side, const struct perf_file *perf, const char *name, struct error *error);
void perf_side_free(struct perf_side *side);

/* The last program of a process. PERF_NO_PROGRAM: there is none. */
size_t perf_side_program(const struct perf_side *side, uint32_t pid);

#endif
