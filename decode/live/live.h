/*
 * What a capture that grows executes, by function and process, as it is decoded: the observer of
 * decode/flow/flow_live.h and the state that a screen shows. Names are looked up in the decoding thread, once a second.
 */
#ifndef DECODE_LIVE_LIVE_H
#define DECODE_LIVE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/flow_live.h"
#include "decode/live/live_names.h"
#include "decode/live/live_table.h"

#define LIVE_ROWS 64u
#define LIVE_TEXT 96u
#define LIVE_CPUS 64u

struct live_line {
    char text[LIVE_TEXT];
    uint64_t branches, now;
};

/* A table as it was last: the first rows of it. */
struct live_list {
    struct live_line lines[LIVE_ROWS];
    size_t shown, count;    /* lines, and rows of the table */
    uint64_t branches, now; /* of all rows */
};

struct live_view {
    struct live_list functions, processes;
    struct profile_marked marks[PROFILE_NR_MARKS];
    uint64_t first_tsc, last_tsc, khz;
    bool last;                               /* the capture is whole: rows are sorted by what they have in all */
    uint64_t branches;                       /* all that were decoded, also those that have no names yet */
    bool full;                               /* memory ran out: some branches are missing */
    char places[LIVE_CPUS][LIVE_PLACE_SIZE]; /* where each CPU's last branch led to; "": it has none */
};

struct live_watch;

/* NULL: no memory. directory, context: must remain. */
struct live_watch *live_watch_open(const char *directory, live_names_open *open, void *context);

/* For flow_live_start. */
struct flow_live_observer live_watch_observer(struct live_watch *watch);

/* From any thread; it never waits: if the decoding thread is writing the view, it stays as it was. */
void live_watch_read(struct live_watch *watch, struct live_view *view);

/* After flow_live_finish. */
void live_watch_close(struct live_watch *watch);

#endif
