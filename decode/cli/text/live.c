#include "decode/cli/text/live.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/message.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/live_screen.h"
#include "decode/cli/text/terminal.h"
#include "decode/code/symbols.h"
#include "decode/flow/flow_live.h"
#include "decode/report/number_text.h"

#define MOST_SHOWN 4u /* CPUs */
#define WAIT_MILLISECONDS 100

struct live {
    struct progress *progress;
    struct flow_live *flow;
    struct flow_live_state state;
    struct symbols symbols;
    char text[320];
    bool has_screen, drawing; /* drawing: the terminal is open */
    struct live_screen screen;
};

static void draw(void *context, const struct progress_state *at)
{
    struct live *live = context;
    flow_live_read(live->flow, &live->state);
    live_screen_draw(&live->screen, &live->state, at);
}

/* false: a message says why. */
static bool start(struct live *live, const struct live_options *options, const struct reception *reception)
{
    struct error error = {0};
    struct flow_live_observer observer = {0};
    const char *symbols = options->names.symbols;
    live->has_screen = options->screen && terminal_is_there();
    if (symbols && !symbols_read(&live->symbols, symbols, &error)) {
        error_print(&error);
        return false;
    }
    if (live->has_screen && !live_screen_open(&live->screen, options->directory, &options->names, reception)) {
        message_print("receive: out of memory");
        return false;
    }
    if (live->has_screen)
        observer = live_watch_observer(live->screen.watch);
    if ((live->flow = flow_live_start(options->directory, &observer)))
        return true;
    message_print("receive: --decode: cannot start a thread");
    if (live->has_screen)
        live_screen_close(&live->screen);
    return false;
}

struct live *live_start(const struct live_options *options, struct progress *progress,
                        const struct reception *reception)
{
    struct live *live = calloc(1, sizeof(*live));
    if (!live) {
        message_print("receive: out of memory");
        return NULL;
    }
    if (!start(live, options, reception)) {
        symbols_free(&live->symbols);
        free(live);
        return NULL;
    }
    live->progress = progress;
    live->drawing = live->has_screen && terminal_open();
    if (live->drawing) {
        message_hold();
        progress_draw_by(progress, draw, live);
    }
    return live;
}

void live_leave(struct live *live)
{
    if (live->has_screen)
        live_screen_freeze(&live->screen);
    if (!live->drawing)
        return;
    live->drawing = false;
    progress_draw_by(live->progress, NULL, NULL);
    terminal_close();
    message_release();
}

/* The last address of a CPU: " 0: schedule+0x12". */
static int show_place(const struct live *live, char *text, size_t size, unsigned cpu)
{
    const uint64_t at = live->state.cpus[cpu].last_to;
    const struct symbol *symbol = live->symbols.count ? symbols_find(&live->symbols, at) : NULL;
    if (symbol)
        return snprintf(text, size, " %u: %s+0x%" PRIx64, cpu, symbol->name, at - symbol->address);
    return snprintf(text, size, " %u: %" PRIx64, cpu, at);
}

static uint64_t sum_up(const struct live *live, uint64_t *offsets, uint64_t *errors)
{
    uint64_t branches = 0;
    *offsets = *errors = 0;
    for (unsigned cpu = 0; cpu < live->state.nr_cpus; cpu++) {
        branches += live->state.cpus[cpu].branches;
        *errors += live->state.cpus[cpu].errors;
        *offsets += live->state.cpus[cpu].offset;
    }
    return branches;
}

void live_show(struct live *live, const struct store_totals *totals)
{
    char number[COUNT_TEXT_SIZE], lag[BYTES_TEXT_SIZE];
    uint64_t offsets, errors;
    if (live->drawing)
        return;
    flow_live_read(live->flow, &live->state);
    const uint64_t branches = sum_up(live, &offsets, &errors);
    const uint64_t left = totals->trace_bytes > offsets ? totals->trace_bytes - offsets : 0;
    size_t used = (size_t)snprintf(live->text, sizeof(live->text), "%s branches, %s not decoded yet",
                                   count_text(number, branches), bytes_text(lag, left));
    for (unsigned cpu = 0; cpu < live->state.nr_cpus && cpu < MOST_SHOWN && used < sizeof(live->text); cpu++)
        used += (size_t)show_place(live, live->text + used, sizeof(live->text) - used, cpu);
    progress_note(live->progress, live->text);
}

/* On a terminal, say what is left: it may take a while. */
static void await_last(struct live *live)
{
    uint64_t offsets, errors;
    char left[BYTES_TEXT_SIZE];
    bool shown = false;
    flow_live_last(live->flow);
    for (flow_live_read(live->flow, &live->state); !live->state.done; flow_live_read(live->flow, &live->state)) {
        sum_up(live, &offsets, &errors);
        const uint64_t bytes = live->screen.totals.trace_bytes;
        fprintf(stderr, "\r\033[Kdecoding, %s left", bytes_text(left, bytes > offsets ? bytes - offsets : 0));
        shown = true;
        poll(NULL, 0, WAIT_MILLISECONDS);
    }
    if (shown)
        fputs("\r\033[K", stderr);
}

void live_end(struct live *live, bool kept)
{
    char number[COUNTED_TEXT_SIZE], gaps[COUNTED_TEXT_SIZE];
    uint64_t offsets, errors;
    const double start = monotonic_seconds();
    if (live->has_screen)
        await_last(live);
    flow_live_finish(live->flow, &live->state);
    const uint64_t branches = sum_up(live, &offsets, &errors);
    if (live->has_screen && kept)
        live_screen_print(&live->screen, &live->state);
    message_print("decoded: %s, %s, %.1f s after the end", counted_text(number, branches, "branch", "branches"),
                  counted_text(gaps, errors, "decode gap", "decode gaps"), monotonic_seconds() - start);
    if (kept && live->state.error.kind)
        error_print(&live->state.error);
    if (live->has_screen)
        live_screen_close(&live->screen);
    symbols_free(&live->symbols);
    free(live);
}
