/*
 * The branches of all CPUs as one list, in the order of the TSC.
 *
 * A branch has the time that the timing packets before it tell, so many branches of a CPU have the same. Between two
 * such times the order of branches of different CPUs is not known, and not specified here; those of one CPU stay in
 * their order. Branches of a CPU whose trace has no TSC packet have the time 0.
 */
#ifndef DECODE_FLOW_MERGE_H
#define DECODE_FLOW_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/capture.h"

typedef void flow_merge_take(void *context, uint16_t cpu, uint64_t tsc, uint64_t from, uint64_t to);

struct flow_merged {
    uint64_t branches[CAPTURE_MAX_CPUS];
    uint64_t untimed[CAPTURE_MAX_CPUS]; /* of these, with the time 0 */
    uint64_t errors[CAPTURE_MAX_CPUS];  /* decode gaps */
};

/* Decode all traces of the capture, side by side: what is kept in memory is a stretch of each. false: error says why.
 */
bool flow_merge(struct flow_merged *merged, const struct capture *capture, flow_merge_take *take, void *context,
                struct error *error);

#endif
