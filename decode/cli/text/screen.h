/* The screen of `receive --decode`: the state of a reception as lines of text. Pure. */
#ifndef DECODE_CLI_TEXT_SCREEN_H
#define DECODE_CLI_TEXT_SCREEN_H

#include <stddef.h>
#include <stdint.h>

#include "decode/flow/flow_live.h"
#include "decode/live/live.h"
#include "decode/receive/store.h"

#define SCREEN_MAX_COLUMNS 400u
#define SCREEN_MAX_ROWS 200u

struct screen_state {
    const char *phase, *directory;
    double seconds; /* since the reception began */
    const struct store_totals *totals;
    uint64_t wire_bytes, lost_frames;
    double trace_rate, wire_rate; /* bytes a second */
    const struct flow_live_state *decoded;
    double branch_rate; /* decoded branches a second */
    double lag;         /* seconds for which the first byte that is not decoded has been there */
    const struct live_view *view;
    const char *console, *message; /* the guest's and the receiver's last lines; "" or NULL: none */
};

struct screen {
    unsigned columns, rows; /* set by the owner: of the terminal */
    unsigned count;         /* lines; at most rows */
    char lines[SCREEN_MAX_ROWS][SCREEN_MAX_COLUMNS + 1];
};

/* Make the lines: printable ASCII only, at most as many as there are rows, and none longer than the columns. What does
 * not fit is left out, the least important first. */
void screen_make(struct screen *screen, const struct screen_state *state);

#endif
