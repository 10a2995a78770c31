/*
 * The branches of all CPUs as one list, in the order of the TSC.
 *
 * A branch has the time of the timing packets before it, so many branches of a CPU have the same. Within one such time
 * the order of branches of different CPUs is not known, and not specified here; those of one CPU stay in their order.
 * Branches of a CPU whose trace has no TSC packet have the time 0. The list does not depend on the number of threads.
 */
#ifndef DECODE_FLOW_MERGED_H
#define DECODE_FLOW_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/engine/batch.h"

struct merged {
    uint64_t branches[CAPTURE_MAX_CPUS];
    uint64_t untimed[CAPTURE_MAX_CPUS]; /* of these, with the time 0 */
    uint64_t errors[CAPTURE_MAX_CPUS];  /* decode gaps */
};

/* Called with branches of one CPU and one time. */
typedef void merged_take(void *context, uint16_t cpu, uint64_t tsc, const union flow_item *branches, size_t count);

/* Decode all traces of the capture, by so many threads (0: as many as there are processors). false: error says why. */
bool merged_run(struct merged *merged, const struct capture *capture, unsigned threads, merged_take *take,
                void *context, struct error *error);

#endif
