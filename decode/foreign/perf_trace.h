/*
 * A trace that Linux's intel_pt driver recorded: one of perf.data's buffers (a CPU's or a thread's), the program's
 * mappings as images, and what AUXTRACE_INFO says of the clocks. One process is decoded, in one address space.
 */
#ifndef DECODE_FOREIGN_PERF_TRACE_H
#define DECODE_FOREIGN_PERF_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_trace.h"

#define PERF_ANY UINT64_MAX

struct perf_choice {
    uint64_t pid;    /* whose mappings; PERF_ANY: the first one that was traced */
    uint64_t buffer; /* index of the buffer; PERF_ANY: the lowest */
    /* what there was */
    uint64_t nr_buffers, nr_missing; /* missing: mappings of files that cannot be read, or of none */
};

/* foreign->image has what else is known of the code, which mappings go over. false: error says why. foreign_close is
 * needed in both cases. */
bool perf_open(struct foreign *foreign, const char *name, struct perf_choice *choice, const struct flow_input *settings,
               struct error *error);

#endif
