/*
 * Shows the progress of a reception: one live line on a terminal, a line every ten seconds in a log, and a small JSON
 * file for other programs.
 */
#ifndef DECODE_CLI_TEXT_PROGRESS_H
#define DECODE_CLI_TEXT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/receive/reception.h"

struct progress;

/* status: file that is rewritten (by rename) about once a second, or NULL. console: file of the guest's console, whose
 * last line is shown, or NULL. quiet: print no lines. NULL: a message says why it failed. */
struct progress *progress_start(const char *status, const char *console, bool quiet);

/* Show this text after the bytes from now on; the text must remain valid. NULL: none. */
void progress_note(struct progress *progress, const char *note);

/* What the lines and the screen say. */
struct progress_state {
    const char *phase, *console; /* console: the guest's last line, or "" */
    double seconds;              /* since the reception began */
    double rate;                 /* trace bytes a second */
    const struct store_totals *totals;
};

/* Call this instead of printing lines, from now on. NULL: print lines again. */
void progress_draw_by(struct progress *progress, void (*draw)(void *context, const struct progress_state *state),
                      void *context);

/* Call often; shows the progress when it is due. A reception_progress. */
void progress_show(void *progress, enum reception_phase phase, const struct store_totals *totals);

/* Show the final state, phase in one word, and end the line. */
void progress_end(struct progress *progress, const char *phase, const struct store_totals *totals);

#endif
