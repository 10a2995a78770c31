/* The options of undertrace receive. */
#ifndef DECODE_CLI_OPTIONS_RECEIVE_OPTIONS_H
#define DECODE_CLI_OPTIONS_RECEIVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/arguments.h"
#include "decode/cli/options/names_options.h"
#include "serial/wire/first.h"

struct receive_options {
    const char *test_first, *bind, *announce_to, *uart, *directory, *status, *console, *key;
    uint64_t port, baud, limit;
    double timeout, linger;
    struct names_choice names;
    struct wire_first first;
    bool quiet, decode, announce, wait_for_space, follow, no_screen;
};

/* Parse them, and check their combination. Returns ARGUMENTS_GOOD, or the exit status. */
int receive_options_parse(struct receive_options *a, int argc, char **argv);

#endif
