/* For undertrace serve: its answers, by the code of page and trace. */
#ifndef DECODE_CLI_SERVE_ANSWERS_H
#define DECODE_CLI_SERVE_ANSWERS_H

#include "decode/cli/options/export_options.h"
#include "decode/cli/options/query_options.h"
#include "decode/query/indexed_capture.h"
#include "decode/serve/serve.h"

struct answers {
    struct export_options *options;
    uint64_t ways;
    struct query_options query; /* of the lists */
    struct calls_run run;       /* of the page */
    char *page;
    size_t page_size;
    struct indexed_capture indexed; /* for lists, from the first one on: indexed.capture is set */
};

/* Make the page, which takes a pass over the trace. The caller calls answers_close in both cases. false: a message says
 * why. *status is the command's exit status. */
bool answers_open(struct answers *answers, int *status);
void answers_close(struct answers *answers);

/*
 * The routes; their context is a struct answers. A time is FROM-TO as for --time.
 * "":     the page
 * window: time and most, the maximum number of calls: the data of that time (page_write_window)
 * list:   time, what, cpu and lines: the lines of undertrace trace, with disassembled instructions
 */
extern const struct serve_route answers_routes[];
extern const size_t answers_nr_routes;

#endif
