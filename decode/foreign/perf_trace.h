/*
 * A trace that Linux's intel_pt driver recorded: perf.data's buffers (a CPU's or a thread's), or one of them, the
 * programs' mappings as images, and what AUXTRACE_INFO says of the clocks. Where several programs ran on the CPU, each
 * has an address space of its own.
 */
#ifndef DECODE_FOREIGN_PERF_TRACE_H
#define DECODE_FOREIGN_PERF_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_trace.h"

#define PERF_ANY UINT64_MAX

struct perf_choice {
    uint64_t pid;     /* whose mappings alone; PERF_ANY: of all that ran */
    uint64_t buffer;  /* index of the buffer; PERF_ANY: all, in one order of time */
    const char *root; /* the directory in which mapped files are looked for; NULL: where they were */
    /* what there was */
    uint64_t nr_buffers, nr_missing; /* missing: mappings of files that cannot be read, or of none */
    uint64_t nr_gaps;                /* places where packets are missing */
    uint64_t nr_programs;            /* that ran, as far as is known */
    bool unfinished;                 /* perf was ended, or its machine: what it had written is read */
    bool untimed;                    /* several programs ran, and nothing tells when: there is one space for all */
};

/* name: a perf.data file, or the directory that perf record --kcore makes. foreign->image has what else is known of the
 * code, which mappings go over. false: error says why. foreign_close is needed in both cases. */
bool perf_open(struct foreign *foreign, const char *name, struct perf_choice *choice, const struct flow_input *settings,
               struct error *error);

/* The same of a file that has been read, which is not needed afterwards. */
bool perf_open_file(struct foreign *foreign, const struct foreign_file *file, const char *name,
                    struct perf_choice *choice, const struct flow_input *settings, struct error *error);

#endif
