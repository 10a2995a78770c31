/* Decoding a capture with a progress display and messages, for several commands. */
#ifndef DECODE_CLI_TEXT_RUN_FLOW_H
#define DECODE_CLI_TEXT_RUN_FLOW_H

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"

/* The progress display of decoding; NULL if standard error is not a terminal. */
flow_progress *progress_of_decoding(void);

/* Calls flow_run with a progress display. false: a message says why. */
bool run_flow(struct flow_run *run, const struct capture *capture, struct flow_run_options *options);

/* The same, and call take for each batch. */
bool run_flow_each(struct flow_run *run, const struct capture *capture, struct flow_run_options *options,
                   void (*take)(void *context, const struct flow_batch *batch), void *context);

/* Print the first errors, one per line, and the number of the others. */
void flow_errors_print(const struct flow_run *run, const struct capture *capture, uint16_t cpu);
void trace_errors_print(const struct flow_run *run, const char *name);

#endif
