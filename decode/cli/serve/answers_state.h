/* For decode/cli/serve/: what all answers share. */
#ifndef DECODE_CLI_SERVE_ANSWERS_STATE_H
#define DECODE_CLI_SERVE_ANSWERS_STATE_H

#include "decode/cli/options/export_options.h"
#include "decode/cli/options/query_options.h"
#include "decode/query/indexed_capture.h"
#include "decode/query/occurrence.h"
#include "decode/serve/serve.h"

struct answers {
    struct export_options *options;
    uint64_t ways;
    struct query_options query; /* of what needs the index */
    struct calls_run run;       /* of the page */
    char *page;
    size_t page_size;
    struct executed_function *functions; /* answers_functions: all that were executed, from the first call on */
    size_t nr_functions;
    struct indexed_capture indexed; /* answers_index: from the first call on, indexed.capture is set */
};

/* The index of the capture, which the first call makes, if there is none. NULL: a line in the file says so. */
const struct indexed_capture *answers_index(struct answers *answers, FILE *file);

/* The functions that the index has, once it is there. NULL: no memory. */
const struct executed_function *answers_functions(struct answers *answers, size_t *count);

/* A decimal number; unchanged if the argument is not given. false: not a number, or above the limit. */
bool answers_number(uint64_t *number, const char *word, uint64_t most);

/* Write the error to the file and to the terminal. */
enum serve_status answers_error(FILE *file, const struct error *error);

#endif
