/*
 * Telling how a reception goes: one live line on a terminal, a line every ten seconds in a log, and a small JSON file
 * for other programs.
 */
#ifndef DECODE_PROGRESS_H
#define DECODE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/receive/store.h"

struct progress;

/* status: file that is rewritten (by rename) about once a second, may be NULL. console: file to which the guest's
 * console goes, whose last line is shown, may be NULL. quiet: no lines at all. NULL: no memory. */
struct progress *progress_start(const char *status, const char *console, bool quiet);

/* Call often; shows something where it is time for it. phase: one word. */
void progress_show(struct progress *progress, const char *phase, const struct store_totals *totals);

/* The last state, always shown, and the line ended. */
void progress_end(struct progress *progress, const char *phase, const struct store_totals *totals);

/* Seconds on a clock that only goes forward. */
double progress_now(void);

#endif
