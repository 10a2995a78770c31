/*
 * The sideband of perf.data: which programs there were, what each had mapped, and which of them ran when on which CPU.
 * Records of several CPUs stand one CPU after the other: they are taken in the order of their times.
 */
#ifndef DECODE_FOREIGN_PERF_SIDE_H
#define DECODE_FOREIGN_PERF_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/perf_file.h"

/* Executable memory of a file. */
struct perf_mapping {
    uint64_t gva, size, offset;
    const char *name; /* in the record; name_size bytes at most, or up to a 0 */
    size_t name_size;
};

/* A process from its fork, or from its exec, on. */
struct perf_program {
    uint32_t pid;
    struct perf_mapping *mappings; /* a later one hides an earlier one */
    size_t nr_mappings, room;
};

#define PERF_NO_PROGRAM SIZE_MAX

/* From this time on it ran there. */
struct perf_switch {
    uint64_t time;
    uint32_t cpu, tid; /* UINT32_MAX: not said */
    size_t program;
};

struct perf_side {
    struct perf_program *programs;
    size_t nr_programs, programs_room;
    struct perf_switch *switches; /* by time */
    size_t nr_switches, switches_room;
    uint32_t first_pid; /* the first that was traced; UINT32_MAX: nothing says which */
};

/* The records of the file, which the result names: it must outlive it. false: error says why. perf_side_free is needed
 * in both cases. */
bool perf_side_read(struct perf_side *side, const struct perf_file *perf, const char *name, struct error *error);
void perf_side_free(struct perf_side *side);

/* What the process was in the end. PERF_NO_PROGRAM: there was none. */
size_t perf_side_program(const struct perf_side *side, uint32_t pid);

#endif
