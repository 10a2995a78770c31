/* The screen of a reception that is decoded as it arrives: it collects what screen.h shows. */
#ifndef DECODE_CLI_TEXT_LIVE_SCREEN_H
#define DECODE_CLI_TEXT_LIVE_SCREEN_H

#include "decode/cli/options/names_options.h"
#include "decode/cli/text/lag.h"
#include "decode/cli/text/progress.h"
#include "decode/cli/text/screen.h"
#include "decode/flow/flow_live.h"
#include "decode/live/live.h"
#include "decode/receive/reception.h"

struct live_screen {
    const char *directory;
    const struct names_choice *names;
    const struct reception *reception;
    struct live_watch *watch;
    struct live_view view;
    struct screen screen;
    struct lag lag;
    double started, drawn;
    uint64_t drawn_wire, drawn_branches; /* when it was drawn last */
    double wire_rate, branch_rate;
    /* When the terminal was left: the reception's own are gone afterwards. */
    struct store_totals totals;
    uint64_t wire_bytes, lost_frames;
    double seconds;
};

/* false: no memory. directory, names and reception must remain. */
bool live_screen_open(struct live_screen *screen, const char *directory, const struct names_choice *names,
                      const struct reception *reception);

/* Draw it on the terminal. */
void live_screen_draw(struct live_screen *screen, const struct flow_live_state *decoded,
                      const struct progress_state *at);

/* The reception is about to end. */
void live_screen_freeze(struct live_screen *screen);

/* Print it as lines on standard error, after the reception has ended and all is decoded; rates are those of the whole.
 */
void live_screen_print(struct live_screen *screen, const struct flow_live_state *decoded);
void live_screen_close(struct live_screen *screen);

#endif
