/* What the commands that read a capture share. */
#ifndef DECODE_OPEN_CAPTURE_H
#define DECODE_OPEN_CAPTURE_H

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"

/* capture_open. NULL: said why. */
struct capture *open_capture(const char *directory);

/* Say what is damaged of what was checked up to now, and what cannot be checked. Returns whether something is damaged.
 */
bool say_damages(const struct capture *capture);

/* Where standard error is a terminal: how far it is. */
flow_progress *progress_of_decoding(void);

/* flow_run, with its progress on a terminal. false: said why. */
bool run_flow(struct flow_run *run, const struct capture *capture, struct flow_run_options *options);

/* The same, and call take with each batch. */
bool run_flow_each(struct flow_run *run, const struct capture *capture, struct flow_run_options *options,
                   void (*take)(void *context, const struct flow_batch *batch), void *context);

/* Print the first errors, one a line, and how many more there are. */
void say_flow_errors(const struct flow_run *run, const struct capture *capture, uint16_t cpu);
void say_trace_errors(const struct flow_run *run, const char *name);

#endif
