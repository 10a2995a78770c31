/*
 * The branches of all CPUs as one list, in the order of the TSC.
 *
 * A branch has the time that the timing packets before it tell, so many branches of a CPU have the same. Between two
 * such times the order of branches of different CPUs is not known, and not specified here; those of one CPU stay in
 * their order. Branches of a CPU whose trace has no TSC packet have the time 0. The list does not depend on the number
 * of threads.
 */
#ifndef DECODE_FLOW_MERGE_H
#define DECODE_FLOW_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/engine/flow.h"

struct flow_merge_options {
    unsigned threads; /* that decode; 0: as many as there are processors */
    /* By several threads at once: branches of one time as text, FLOW_TEXT_LINE bytes each at most. Returns its size. */
    size_t (*format)(char *text, uint16_t cpu, uint64_t tsc, const struct flow_branch *branches, size_t count);
    /* By the caller's thread: the list goes on. */
    void (*write)(void *context, const char *text, size_t size);
    void *context;
};

struct flow_merged {
    uint64_t branches[CAPTURE_MAX_CPUS];
    uint64_t untimed[CAPTURE_MAX_CPUS]; /* of these, with the time 0 */
    uint64_t errors[CAPTURE_MAX_CPUS];  /* decode gaps */
};

/* Decode all traces of the capture, side by side: what is kept in memory is some stretches of each. false: error says
 * why.
 */
bool flow_merge(struct flow_merged *merged, const struct capture *capture, const struct flow_merge_options *options,
                struct error *error);

#endif
