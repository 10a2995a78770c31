/* The time of events as libipt computes it (dump_time.h), from packet to packet of a trace. */
#ifndef JUDGE_TEXT_PTXED_CLOCK_H
#define JUDGE_TEXT_PTXED_CLOCK_H

#include "decode/engine/flow_input.h"
#include "tests/judge/events/event.h"
#include "tests/judge/text/dump_time.h"

struct ptxed_clock {
    const struct flow_input *input;
    struct dump_time_setup setup;
    struct dump_time time;
    uint64_t at;       /* trace offset up to which packets were taken */
    uint64_t last_tsc; /* the TSC of the last event; 0: not known */
};

/* setup: the fields that input has are filled in here. */
void ptxed_clock_begin(struct ptxed_clock *clock, const struct flow_input *input, struct dump_time_setup setup);

/* A stretch begins at this trace offset. restart: an error came before it, so that the clock starts again. */
void ptxed_clock_stretch(struct ptxed_clock *clock, uint64_t begin, bool restart);

/* Set the event's TSC; 0: not known. Events come in the order of the packets that report them. Returns whether the TSC
 * differs from that of the last event. */
bool ptxed_clock_event(struct ptxed_clock *clock, struct flow_event *event);

#endif
