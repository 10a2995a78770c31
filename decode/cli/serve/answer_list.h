/* For undertrace serve: lists of functions, branches and instructions. */
#ifndef DECODE_CLI_SERVE_ANSWER_LIST_H
#define DECODE_CLI_SERVE_ANSWER_LIST_H

#include <stdio.h>

#include "decode/serve/serve.h"

#define ANSWER_LIST_ARGUMENTS                                                                                          \
    {                                                                                                                  \
        "time", "what", "cpu", "lines"                                                                                 \
    }

/* Writes the lines of undertrace trace --time TIME --what WHAT --cpu CPU --lines LINES (at most 20,000), with
 * --disassemble where it is possible. context is a struct answers; the first list makes the index, if there is none. */
enum serve_status answer_list(void *context, const struct serve_query *query, FILE *file);

#endif
