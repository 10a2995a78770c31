/* Decoding the stretches of a trace with several threads. */
#ifndef DECODE_FLOW_WORK_H
#define DECODE_FLOW_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/flow.h"
#include "decode/flow/hot.h"

struct flow_work {
    const struct flow_input *input;
    const struct flow_stretch *stretches;
    struct flow_result *results; /* one a stretch */
    size_t count;
    unsigned threads;        /* at least 1 */
    struct flow_hooks hooks; /* with one thread only */
    bool count_packets, count_targets;
    /* filled in: */
    uint64_t packets;
    struct hot targets;
};

/* Shows on a terminal how far it is. false: a decoder could not be set up, said why. */
bool flow_work(struct flow_work *work);

#endif
