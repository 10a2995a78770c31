/*
 * Instructions and events as lines of text, in the dialect of libipt's ptxed without mnemonics: an address a line,
 * events in brackets. Pure.
 */
#ifndef JUDGE_TEXT_PTXED_LINE_H
#define JUDGE_TEXT_PTXED_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/judge/events/event.h"

#define PTXED_LINE_MAX 160u

struct ptxed_options {
    bool event_ip, event_time, event_iflags; /* what ptxed's options of these names show */
    bool event_tick, keep_tcal, time;
    bool quiet, show_blocks, end_on_call, end_on_jump;
    bool stat, stat_instructions, stat_blocks; /* stat: all statistics that this kind of decoder has */
    bool resync;                               /* continue after an error within its PSB */
    bool single;                               /* print as ptxed's instruction decoder, not as its block decoder */
};

/* Write the line, with its end and a NUL. Returns its length without the NUL; 0: this event has none. */
size_t ptxed_event_line(char *line, const struct flow_event *event, const struct ptxed_options *options);

/* speculative: within a transaction that may be aborted. */
size_t ptxed_address_line(char *line, uint64_t ip, bool speculative);

#endif
