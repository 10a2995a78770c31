/*
 * A trace in a perf.data file of Linux's intel_pt driver: the packets of one or all buffers, each of a CPU or a thread,
 * the programs' mappings as images, and the clocks of AUXTRACE_INFO. If several programs ran, each has its own address
 * space.
 */
#ifndef DECODE_FOREIGN_PERF_TRACE_H
#define DECODE_FOREIGN_PERF_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_trace.h"

#define PERF_ANY UINT64_MAX

struct perf_choice {
    uint64_t pid;     /* use only the mappings of this process; PERF_ANY: of all that ran */
    uint64_t buffer;  /* index of the buffer; PERF_ANY: all, ordered by time */
    const char *root; /* the directory that replaces / in the paths of mapped files; NULL: none */
    /* results */
    uint64_t nr_buffers, nr_missing; /* missing: mappings of no file, or of one that cannot be read */
    uint64_t nr_gaps;                /* at which packets are missing */
    uint64_t nr_programs;            /* that ran, as far as is known */
    bool unfinished;                 /* perf did not end normally: the part that it had written is read */
    bool untimed;                    /* several programs ran at unknown times: they share one space */
};

/* name: a perf.data file, or the directory that perf record --kcore makes. foreign->image may have further images,
 * which the mappings replace where they overlap. false: error says why. foreign_close is needed in both cases. */
bool perf_open(struct foreign *foreign, const char *name, struct perf_choice *choice, const struct flow_input *settings,
               struct error *error);

/* The same for a file in memory, which is not needed afterwards. */
bool perf_open_file(struct foreign *foreign, const struct foreign_file *file, const char *name,
                    struct perf_choice *choice, const struct flow_input *settings, struct error *error);

#endif
