#include "decode/cli/text/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/message.h"
#include "decode/cli/text/error_text.h"
#include "decode/code/symbols.h"
#include "decode/flow/flow_live.h"
#include "decode/report/number_text.h"

#define MOST_SHOWN 4u /* CPUs */

struct live {
    struct flow_live *flow;
    struct flow_live_state state;
    struct symbols symbols;
    char text[320];
};

struct live *live_start(const char *directory, const char *symbols)
{
    struct error error = {0};
    struct live *live = calloc(1, sizeof(*live));
    if (!live) {
        message_print("receive: out of memory");
        return NULL;
    }
    if (symbols && !symbols_read(&live->symbols, symbols, &error)) {
        error_print(&error);
        free(live);
        return NULL;
    }
    if ((live->flow = flow_live_start(directory)))
        return live;
    message_print("receive: --decode: cannot start a thread");
    symbols_free(&live->symbols);
    free(live);
    return NULL;
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

const char *live_text(struct live *live, const struct store_totals *totals)
{
    char number[COUNT_TEXT_SIZE], lag[BYTES_TEXT_SIZE];
    uint64_t offsets, errors;
    flow_live_read(live->flow, &live->state);
    const uint64_t branches = sum_up(live, &offsets, &errors);
    const uint64_t left = totals->trace_bytes > offsets ? totals->trace_bytes - offsets : 0;
    size_t used = (size_t)snprintf(live->text, sizeof(live->text), "%s branches, %s not decoded yet",
                                   count_text(number, branches), bytes_text(lag, left));
    for (unsigned cpu = 0; cpu < live->state.nr_cpus && cpu < MOST_SHOWN && used < sizeof(live->text); cpu++)
        used += (size_t)show_place(live, live->text + used, sizeof(live->text) - used, cpu);
    return live->text;
}

void live_end(struct live *live, bool kept)
{
    char number[COUNTED_TEXT_SIZE], gaps[COUNTED_TEXT_SIZE];
    uint64_t offsets, errors;
    const double start = monotonic_seconds();
    flow_live_finish(live->flow, &live->state);
    const uint64_t branches = sum_up(live, &offsets, &errors);
    message_print("decoded: %s, %s, %.1f s after the end", counted_text(number, branches, "branch", "branches"),
                  counted_text(gaps, errors, "decode gap", "decode gaps"), monotonic_seconds() - start);
    if (kept && live->state.error.kind)
        error_print(&live->state.error);
    symbols_free(&live->symbols);
    free(live);
}
