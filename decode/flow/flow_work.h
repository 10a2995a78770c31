/* Decoding a trace, or a part of it, with several threads. */
#ifndef DECODE_FLOW_WORK_H
#define DECODE_FLOW_WORK_H

#include <stdbool.h>

#include "decode/flow/flow_run.h"
#include "decode/flow/flow_trace.h"

/* Fills in the run's results, sums, targets and inferred pages, and what is lost. The trace is uncut. false: it could
 * not be done; error says why. */
bool flow_work(struct flow_run *run, const struct flow_trace *trace, const struct flow_run_options *options,
               struct error *error);

#endif
