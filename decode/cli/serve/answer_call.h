/* For undertrace serve: the next and previous call of a function. */
#ifndef DECODE_CLI_SERVE_ANSWER_CALL_H
#define DECODE_CLI_SERVE_ANSWER_CALL_H

#include <stdio.h>

#include "decode/serve/serve.h"

#define ANSWER_CALL_ARGUMENTS                                                                                          \
    {                                                                                                                  \
        "of", "after", "before", "cpu", "nth"                                                                          \
    }

/* Writes the first call after a moment, or the last one before it, of the functions whose labels have all words of
 * `of`, whatever their case: {"function", "ticks", "cpu", "nth"}, or null. ticks are since the first TSC; nth counts
 * the calls that begin on one CPU at one tick. cpu and nth in the request: after or before that one of the calls at
 * the moment. The answer comes from the index, and from decoding the times in which that has such functions. */
enum serve_status answer_call(void *context, const struct serve_query *query, FILE *file);

#endif
