/*
 * Samples with a part of the trace in them: perf record --aux-sample. A PERF_SAMPLE record has its fields in the order
 * of include/uapi/linux/perf_event.h, the trace last. Pure.
 */
#ifndef DECODE_FOREIGN_PERF_SAMPLE_H
#define DECODE_FOREIGN_PERF_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/foreign/perf_file.h"

/* A part of the trace, and the buffer that it is from. */
struct perf_sample {
    uint64_t index;    /* of the buffer */
    uint32_t cpu, tid; /* UINT32_MAX: none */
    const uint8_t *bytes;
    uint64_t size;
};

/* Does an event of the file have such samples? */
bool perf_sample_any(const struct perf_file *perf);

/* false: the record is not such a sample, or it is damaged. */
bool perf_sample_read(struct perf_sample *sample, const struct perf_file *perf, const struct perf_record *record);

#endif
