/* The packets of one of perf.data's buffers: parts that are one trace, or nearly. */
#ifndef DECODE_FOREIGN_PERF_PARTS_H
#define DECODE_FOREIGN_PERF_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_trace.h"
#include "decode/foreign/perf_file.h"

/* Which buffer, and how it was recorded. */
struct perf_buffer {
    uint64_t index;
    uint32_t cpu, tid; /* whose; UINT32_MAX: not that */
    bool snapshots;    /* each part is what the buffer held at a moment: two may share packets */
};

/* Put them into foreign->packets, and where something is missing into foreign->trace.gaps. false: error says why. */
bool perf_parts_take(struct foreign *foreign, const struct perf_file *perf, const char *name,
                     const struct perf_buffer *buffer, struct error *error);

#endif
