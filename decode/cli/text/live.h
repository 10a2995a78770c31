/* Decodes a trace as it arrives, for `receive --decode`. */
#ifndef DECODE_CLI_TEXT_LIVE_H
#define DECODE_CLI_TEXT_LIVE_H

#include <stdbool.h>

#include "decode/receive/store.h"

struct live;

/* symbols: a file with names of addresses (symbols.h), or NULL. NULL: a message says why it failed. */
struct live *live_start(const char *directory, const char *symbols);

/* A short text: what is decoded, what is not decoded yet, and where the CPUs are. The buffer is the same each time. */
const char *live_text(struct live *live, const struct store_totals *totals);

/* Call at the end of the capture: decodes the rest and prints the totals. kept: false if there is no capture. */
void live_end(struct live *live, bool kept);

#endif
