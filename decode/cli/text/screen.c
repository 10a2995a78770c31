#include "decode/cli/text/screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decode/report/number_text.h"
#include "decode/report/profile_report.h"

#define NARROW 60u /* columns below which tables have only shares */
#define LOW 16u    /* rows below which CPUs are left out */
#define TALL 40u   /* rows from which on all phases are listed */

/* Names come from the machine, or from files: nothing in them may act on the terminal. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            *text = '?';
}

static void __attribute__((format(printf, 2, 3))) add(struct screen *screen, const char *format, ...)
{
    va_list args;
    if (screen->count >= screen->rows)
        return;
    char *line = screen->lines[screen->count++];
    va_start(args, format);
    vsnprintf(line, screen->columns + 1, format, args);
    va_end(args);
    make_plain(line);
}

/* --- the lines at the top --- */

static void add_received(struct screen *screen, const struct screen_state *state)
{
    char trace[BYTES_TEXT_SIZE], rate[BYTES_TEXT_SIZE], wire[BYTES_TEXT_SIZE], wire_rate[BYTES_TEXT_SIZE];
    add(screen, "received %s of trace, %s/s; wire: %s, %s/s; %" PRIu64 " region%s, %" PRIu64 " page%s",
        bytes_text(trace, state->totals->trace_bytes), bytes_text(rate, (uint64_t)state->trace_rate),
        bytes_text(wire, state->wire_bytes), bytes_text(wire_rate, (uint64_t)state->wire_rate), state->totals->drains,
        plural(state->totals->drains), state->totals->pages, plural(state->totals->pages));
}

static void add_decoded(struct screen *screen, const struct screen_state *state)
{
    char count[COUNTED_TEXT_SIZE], rate[COUNT_TEXT_SIZE], left[BYTES_TEXT_SIZE];
    uint64_t branches = 0, offsets = 0;
    for (unsigned cpu = 0; cpu < state->decoded->nr_cpus; cpu++) {
        branches += state->decoded->cpus[cpu].branches;
        offsets += state->decoded->cpus[cpu].offset;
    }
    const uint64_t bytes = state->totals->trace_bytes > offsets ? state->totals->trace_bytes - offsets : 0;
    add(screen, "decoded  %s, %s/s; lag %s, %.1f s", counted_text(count, branches, "branch", "branches"),
        count_text(rate, (uint64_t)state->branch_rate), bytes_text(left, bytes), state->lag);
}

static void add_lost(struct screen *screen, const struct screen_state *state)
{
    const struct store_totals *totals = state->totals;
    const uint64_t bytes = totals->lost_trace_bytes + totals->lost_record_bytes;
    char text[BYTES_TEXT_SIZE];
    uint64_t errors = 0;
    for (unsigned cpu = 0; cpu < state->decoded->nr_cpus; cpu++)
        errors += state->decoded->cpus[cpu].errors;
    if (totals->gaps || errors || bytes || state->lost_frames || totals->misplaced || state->view->full)
        add(screen, "lost     %" PRIu64 " gap%s, %s; %" PRIu64 " frame%s on the wire; %" PRIu64 " decode gap%s%s",
            totals->gaps, plural(totals->gaps), bytes_text(text, bytes), state->lost_frames + totals->misplaced,
            plural(state->lost_frames + totals->misplaced), errors, plural(errors),
            state->view->full ? "; out of memory: tables are incomplete" : "");
    else
        add(screen, "lost     nothing");
}

static double seconds_of(const struct live_view *view, uint64_t from, uint64_t to)
{
    return view->khz && to > from ? (double)(to - from) / (double)view->khz / 1000 : 0;
}

static void add_phases(struct screen *screen, const struct live_view *view)
{
    struct profile_phase phases[PROFILE_MAX_PHASES];
    struct profile profile = {.first_tsc = view->first_tsc, .last_tsc = view->last_tsc, .branches = view->branches};
    memcpy(profile.marks, view->marks, sizeof(profile.marks));
    const size_t count = profile_phases(phases, &profile);
    for (size_t i = screen->rows < TALL ? count - 1 : 0; i < count; i++)
        add(screen, "phase    %s, for %.1f s, since %.1f s", phases[i].name,
            seconds_of(view, phases[i].from_tsc, phases[i].to_tsc),
            seconds_of(view, view->first_tsc, phases[i].from_tsc));
}

static void add_cpus(struct screen *screen, const struct screen_state *state, unsigned most)
{
    char bytes[BYTES_TEXT_SIZE];
    const struct store_totals *totals = state->totals;
    for (unsigned cpu = 0; cpu < totals->nr_cpus && cpu < most; cpu++)
        add(screen, "cpu %-4u %s%s  %s", cpu, bytes_text(bytes, totals->cpus[cpu].trace_bytes),
            totals->cpus[cpu].ended ? " end" : "", cpu < LIVE_CPUS ? state->view->places[cpu] : "");
    if (totals->nr_cpus > most && most > 0)
        add(screen, "         and %u more", totals->nr_cpus - most);
}

/* --- tables --- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The columns before the names: what of the last interval, unless that was the last one; and of all. */
static void add_row(struct screen *screen, const struct live_list *list, const struct live_line *line, bool last)
{
    char number[COUNT_TEXT_SIZE], now[16] = "";
    const bool narrow = screen->columns < NARROW;
    if (!last)
        snprintf(now, sizeof(now), narrow ? "%5.1f%% " : "%6.2f%%  ", share(line->now, list->now));
    if (narrow)
        add(screen, "%s%6.1f%%  %s", now, share(line->branches, list->branches), line->text);
    else
        add(screen, "%s%6.2f%% %18s  %s", now, share(line->branches, list->branches),
            count_text(number, line->branches), line->text);
}

/* In so many rows, its title included. */
static void add_table(struct screen *screen, const char *title, const struct live_list *list, bool last, unsigned rows)
{
    const unsigned begin = screen->count;
    if (rows < 2)
        return;
    if (screen->columns < NARROW)
        add(screen, "%s in all  %s (%zu)", last ? "" : "   now ", title, list->count);
    else
        add(screen, "%s in all           branches  %s (%zu)", last ? "" : "    now  ", title, list->count);
    for (size_t i = 0; i < list->shown && screen->count - begin < rows; i++)
        add_row(screen, list, &list->lines[i], last);
}

void screen_make(struct screen *screen, const struct screen_state *state)
{
    const bool console = state->console && state->console[0], message = state->message && state->message[0];
    screen->columns = screen->columns < SCREEN_MAX_COLUMNS ? screen->columns : SCREEN_MAX_COLUMNS;
    screen->rows = screen->rows < SCREEN_MAX_ROWS ? screen->rows : SCREEN_MAX_ROWS;
    screen->count = 0;
    add(screen, "undertrace: %s %.0f s  %s", state->phase, state->seconds, state->directory);
    add_received(screen, state);
    add_decoded(screen, state);
    add_lost(screen, state);
    add_phases(screen, state->view);
    add_cpus(screen, state, screen->rows < LOW ? 0 : screen->rows / 8);
    const unsigned bottom = screen->count + console + message;
    const unsigned room = screen->rows > bottom ? screen->rows - bottom : 0, processes = room < 6 ? 0 : room / 3;
    add_table(screen, "functions", &state->view->functions, state->view->last, room - processes);
    add_table(screen, "processes", &state->view->processes, state->view->last, processes);
    if (console)
        add(screen, "console  %s", state->console);
    if (message)
        add(screen, "%s", state->message);
}
