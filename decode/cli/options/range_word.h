/* A range of addresses on the command line. */
#ifndef DECODE_CLI_OPTIONS_RANGE_WORD_H
#define DECODE_CLI_OPTIONS_RANGE_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* Parse "page:ADDRESS", "A-B" or "ADDRESS", in hexadecimal with or without 0x. false: it is not a range. */
bool range_word_parse(const char *word, uint64_t *begin, uint64_t *end);

#endif
