#include "decode/cli/text/live_screen.h"

#include <stdio.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/message.h"
#include "decode/cli/text/terminal.h"

#define SOONEST 0.01     /* seconds over which a rate means something */
#define PRINTED_ROWS 24u /* at most, of what stays on the terminal */

static struct names *open_names_of(void *context, const struct capture *capture)
{
    return open_names_quietly(capture, context);
}

bool live_screen_open(struct live_screen *screen, const char *directory, const struct names_choice *names,
                      const struct reception *reception)
{
    screen->directory = directory;
    screen->names = names;
    screen->reception = reception;
    screen->started = screen->drawn = monotonic_seconds();
    screen->watch = live_watch_open(directory, open_names_of, (void *)(uintptr_t)names);
    return screen->watch != NULL;
}

static uint64_t branches_of(const struct flow_live_state *decoded)
{
    uint64_t branches = 0;
    for (unsigned cpu = 0; cpu < decoded->nr_cpus; cpu++)
        branches += decoded->cpus[cpu].branches;
    return branches;
}

static uint64_t offsets_of(const struct flow_live_state *decoded)
{
    uint64_t offsets = 0;
    for (unsigned cpu = 0; cpu < decoded->nr_cpus; cpu++)
        offsets += decoded->cpus[cpu].offset;
    return offsets;
}

static void set_rates(struct live_screen *screen, const struct flow_live_state *decoded, double now)
{
    const uint64_t wire = screen->reception->wire_bytes, branches = branches_of(decoded);
    const double passed = now - screen->drawn;
    if (passed < SOONEST)
        return;
    screen->wire_rate = (double)(wire - screen->drawn_wire) / passed;
    screen->branch_rate = (double)(branches - screen->drawn_branches) / passed;
    screen->drawn = now;
    screen->drawn_wire = wire;
    screen->drawn_branches = branches;
}

void live_screen_draw(struct live_screen *screen, const struct flow_live_state *decoded,
                      const struct progress_state *at)
{
    const double now = monotonic_seconds();
    live_watch_read(screen->watch, &screen->view);
    lag_note(&screen->lag, now, at->totals->trace_bytes);
    set_rates(screen, decoded, now);
    terminal_size(&screen->screen.columns, &screen->screen.rows);
    screen_make(&screen->screen, &(struct screen_state){.phase = at->phase,
                                                        .directory = screen->directory,
                                                        .seconds = at->seconds,
                                                        .totals = at->totals,
                                                        .wire_bytes = screen->reception->wire_bytes,
                                                        .lost_frames = screen->reception->frames.counts.lost,
                                                        .trace_rate = at->rate,
                                                        .wire_rate = screen->wire_rate,
                                                        .decoded = decoded,
                                                        .branch_rate = screen->branch_rate,
                                                        .lag = lag_seconds(&screen->lag, now, offsets_of(decoded)),
                                                        .view = &screen->view,
                                                        .console = at->console,
                                                        .message = message_held()});
    terminal_draw(&screen->screen);
}

void live_screen_freeze(struct live_screen *screen)
{
    screen->totals = *store_totals(screen->reception->store);
    screen->wire_bytes = screen->reception->wire_bytes;
    screen->lost_frames = screen->reception->frames.counts.lost;
    screen->seconds = monotonic_seconds() - screen->started;
}

void live_screen_print(struct live_screen *screen, const struct flow_live_state *decoded)
{
    const double seconds = screen->seconds > SOONEST ? screen->seconds : SOONEST;
    live_watch_read(screen->watch, &screen->view);
    terminal_size(&screen->screen.columns, &screen->screen.rows);
    if (screen->screen.rows > PRINTED_ROWS)
        screen->screen.rows = PRINTED_ROWS;
    screen_make(&screen->screen, &(struct screen_state){.phase = screen->totals.ended ? "ended" : "stopped",
                                                        .directory = screen->directory,
                                                        .seconds = screen->seconds,
                                                        .totals = &screen->totals,
                                                        .wire_bytes = screen->wire_bytes,
                                                        .lost_frames = screen->lost_frames,
                                                        .trace_rate = (double)screen->totals.trace_bytes / seconds,
                                                        .wire_rate = (double)screen->wire_bytes / seconds,
                                                        .decoded = decoded,
                                                        .branch_rate = (double)branches_of(decoded) / seconds,
                                                        .view = &screen->view});
    for (unsigned i = 0; i < screen->screen.count; i++)
        fprintf(stderr, "%s\n", screen->screen.lines[i]);
}

void live_screen_close(struct live_screen *screen)
{
    live_watch_close(screen->watch);
}
