/*
 * Telling how a reception goes: one live line on a terminal, a line every ten seconds in a log, and a small JSON file
 * for other programs.
 */
#ifndef DECODE_CLI_TEXT_PROGRESS_H
#define DECODE_CLI_TEXT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/receive/reception.h"

struct progress;

/* status: file that is rewritten (by rename) about once a second, may be NULL. console: file to which the guest's
 * console goes, whose last line is shown, may be NULL. quiet: no lines at all. NULL: it cannot be begun, said why. */
struct progress *progress_start(const char *status, const char *console, bool quiet);

/* What is shown beside the bytes from now on; it must stay. NULL: nothing. */
void progress_note(struct progress *progress, const char *note);

/* Call often; shows something where it is time for it. A reception_progress. */
void progress_show(void *progress, enum reception_phase phase, const struct store_totals *totals);

/* The last state, phase in one word, always shown, and the line ended. */
void progress_end(struct progress *progress, const char *phase, const struct store_totals *totals);

#endif
