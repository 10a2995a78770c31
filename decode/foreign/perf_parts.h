/* The packets of one buffer of perf.data, joined from its AUXTRACE records. */
#ifndef DECODE_FOREIGN_PERF_PARTS_H
#define DECODE_FOREIGN_PERF_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_trace.h"
#include "decode/foreign/perf_file.h"

/* A buffer, and how it was recorded. */
struct perf_buffer {
    uint64_t index;
    uint32_t cpu, tid; /* the CPU or the thread that it belongs to; UINT32_MAX: none */
    bool samples;      /* the parts are in samples */
    bool snapshots;    /* each part is the contents of the buffer at one time: two parts may share packets */
};

/* Append them to foreign->packets, and a gap to foreign->trace.gaps where packets are missing. false: error says
 * why. */
bool perf_parts_take(struct foreign *foreign, const struct perf_file *perf, const char *name,
                     const struct perf_buffer *buffer, struct error *error);

#endif
