/* Shared by the commands that read a capture. */
#ifndef DECODE_OPEN_CAPTURE_H
#define DECODE_OPEN_CAPTURE_H

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"

/* Calls capture_open. NULL: a message says why. */
struct capture *open_capture(const char *directory);

/* Report damage found by the checks so far, and parts that cannot be checked. Returns whether anything is damaged. */
bool say_damages(const struct capture *capture);

/* The progress display of decoding; NULL if standard error is not a terminal. */
flow_progress *progress_of_decoding(void);

/* Calls flow_run with a progress display. false: a message says why. */
bool run_flow(struct flow_run *run, const struct capture *capture, struct flow_run_options *options);

/* The same, and call take for each batch. */
bool run_flow_each(struct flow_run *run, const struct capture *capture, struct flow_run_options *options,
                   void (*take)(void *context, const struct flow_batch *batch), void *context);

/* Print the first errors, one per line, and the number of the others. */
void say_flow_errors(const struct flow_run *run, const struct capture *capture, uint16_t cpu);
void say_trace_errors(const struct flow_run *run, const char *name);

#endif
