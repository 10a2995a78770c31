/* Decodes a trace as it arrives, for `receive --decode`: on a screen, or as a part of the progress lines. */
#ifndef DECODE_CLI_TEXT_LIVE_H
#define DECODE_CLI_TEXT_LIVE_H

#include <stdbool.h>

#include "decode/cli/options/names_options.h"
#include "decode/cli/text/progress.h"
#include "decode/receive/reception.h"

struct live;

struct live_options {
    const char *directory;
    struct names_choice names; /* lines use its symbols only */
    bool screen;               /* if there is a terminal that can be drawn on */
};

/* The options must remain. NULL: a message says why it failed. */
struct live *live_start(const struct live_options *options, struct progress *progress,
                        const struct reception *reception);

/* Call before the progress is shown. */
void live_show(struct live *live, const struct store_totals *totals);

/* The reception has ended, or it begins again: restore the terminal. */
void live_leave(struct live *live);

/* Call at the end of the capture, after live_leave: decodes the rest and prints the totals, and the last screen as
 * lines if there was one. kept: false if there is no capture. */
void live_end(struct live *live, bool kept);

#endif
