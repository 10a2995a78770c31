/* What `receive --decode` shows of the trace while it comes. */
#ifndef DECODE_CLI_TEXT_LIVE_H
#define DECODE_CLI_TEXT_LIVE_H

#include <stdbool.h>

#include "decode/receive/store.h"

struct live;

/* symbols: a file of names for addresses (symbols.h), may be NULL. NULL: it cannot be begun, said why. */
struct live *live_start(const char *directory, const char *symbols);

/* In a few words: how much is decoded, how much is not yet, and where the CPUs are. The text is the same place each
 * time. */
const char *live_text(struct live *live, const struct store_totals *totals);

/* The capture is whole: decode what is left, and say the result in a line. kept: else there is none. */
void live_end(struct live *live, bool kept);

#endif
