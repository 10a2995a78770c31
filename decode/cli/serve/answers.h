/* For undertrace serve: its answers, by the code of page and trace. */
#ifndef DECODE_CLI_SERVE_ANSWERS_H
#define DECODE_CLI_SERVE_ANSWERS_H

#include "decode/cli/serve/answers_state.h"

/* Make the page, which takes a pass over the trace. The caller calls answers_close in both cases. false: a message says
 * why. *status is the command's exit status. */
bool answers_open(struct answers *answers, int *status);
void answers_close(struct answers *answers);

/*
 * The routes; their context is a struct answers. A time is FROM-TO as for --time.
 * "":     the page
 * window: time and most, the maximum number of calls: the data of that time (page_write_window)
 * list:   time, what, cpu and lines: the lines of undertrace trace, with disassembled instructions
 * call:   of, and after or before, cpu and nth: the next or previous call of the functions that a search finds
 */
extern const struct serve_route answers_routes[];
extern const size_t answers_nr_routes;

#endif
