/* What perf.data says of how its trace was recorded: AUXTRACE_INFO, and whose CPU it was. Pure. */
#ifndef DECODE_FOREIGN_PERF_INFO_H
#define DECODE_FOREIGN_PERF_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow_input.h"
#include "decode/foreign/perf_file.h"

struct perf_info {
    bool snapshots; /* perf record -S */
    /* How perf's nanoseconds and the TSC go together: perf_event_open(2), "time_zero". */
    uint64_t time_zero;
    uint32_t time_mult; /* 0: nothing is known */
    uint16_t time_shift;
};

/* Of an AUXTRACE_INFO record; input gets the clocks and how returns are told. false: it is not Intel PT's. */
bool perf_info_read(struct perf_info *info, struct flow_input *input, const struct perf_file *perf,
                    const struct perf_record *record);

/* Family, model and stepping, where the file has them and input does not. */
void perf_info_cpu(struct flow_input *input, const struct perf_file *perf);

/* Nanoseconds as TSC; time_mult is not 0. */
uint64_t perf_info_tsc(const struct perf_info *info, uint64_t time);

#endif
