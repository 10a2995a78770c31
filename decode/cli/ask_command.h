/* Shared by the commands that query a capture: trace, find, code, diff. */
#ifndef DECODE_CLI_ASK_COMMAND_H
#define DECODE_CLI_ASK_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/arguments.h"
#include "decode/cli/options/names_options.h"
#include "decode/query/ask.h"

/* The options that all of them have. */
struct ask_arguments {
    struct names_wishes names;
    uint64_t threads;
    bool no_index;
};

/* For their tables of options. */
#define ASK_OPTIONS(a)                                                                                                 \
    NAMES_OPTIONS(&(a)->names), {"no-index", ARGUMENT_FLAG, &(a)->no_index, 0}, ARGUMENT_THREADS(&(a)->threads)
#define ASK_USAGE                                                                                                      \
    NAMES_USAGE                                                                                                        \
    "  --no-index          neither read nor write CAPTURE/index.executed: decode the whole trace again\n"              \
    "  --threads N         use N threads for the index (default: one for each processor)\n"

/* Open a capture and its index, which may take as long as decoding. false: a message says why. */
bool ask_capture(struct ask *ask, const char *directory, struct ask_arguments *arguments);

/* Report what the answer cannot know. Returns the exit status: 0, or 2 if parts are missing, damaged or not decoded. */
int ask_say_missing(const struct ask *ask);

/* Parse "page:ADDRESS", "A-B" or "ADDRESS", in hexadecimal with or without 0x. false: it is none of these. */
bool ask_parse_range(const char *word, uint64_t *begin, uint64_t *end);

/* Format "symbol+0x1f [object]"; an empty text if no name is known. Returns text. */
#define NAME_TEXT_SIZE 256u
const char *name_text(char text[NAME_TEXT_SIZE], const struct name *name, uint64_t address);

/* Format "12.345678 s", or "-" if the time is unknown. Returns text. */
#define TIME_TEXT_SIZE 32u
const char *time_text(char text[TIME_TEXT_SIZE], const struct ask *ask, uint64_t tsc);

#endif
