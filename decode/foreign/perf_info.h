/* How the trace in perf.data was recorded: the AUXTRACE_INFO record and the CPU model. Pure. */
#ifndef DECODE_FOREIGN_PERF_INFO_H
#define DECODE_FOREIGN_PERF_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow_input.h"
#include "decode/foreign/perf_file.h"

struct perf_info {
    bool snapshots; /* perf record -S */
    /* The conversion between perf's nanoseconds and the TSC: perf_event_open(2), "time_zero". */
    uint64_t time_zero;
    uint32_t time_mult; /* 0: not known */
    uint16_t time_shift;
};

/* Parse an AUXTRACE_INFO record. Sets the clocks and the compression of returns in input. false: it is not about Intel
 * PT. */
bool perf_info_read(struct perf_info *info, struct flow_input *input, const struct perf_file *perf,
                    const struct perf_record *record);

/* Set family, model and stepping in input, if the file has them and input does not. */
void perf_info_cpu(struct flow_input *input, const struct perf_file *perf);

/* Nanoseconds as TSC; time_mult is not 0. */
uint64_t perf_info_tsc(const struct perf_info *info, uint64_t time);

#endif
