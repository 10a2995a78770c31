#include "decode/live/live_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/monotonic.h"
#include "decode/names/symbol_match.h"

#define SHARE 10 /* opening names takes at most one part in so many of the time */
#define NAME_TEXT 256u

static void forget(struct live_names *live)
{
    if (live->names)
        names_close(live->names);
    for (unsigned cpu = 0; live->pages && cpu < live->capture->nr_cpus; cpu++)
        code_pages_free(&live->pages[cpu]);
    free(live->pages);
    capture_close(live->capture);
    live->names = NULL;
    live->pages = NULL;
    live->capture = NULL;
}

void live_names_close(struct live_names *live)
{
    forget(live);
}

static bool collect(struct live_names *live, struct error *error)
{
    live->pages = calloc(live->capture->nr_cpus ? live->capture->nr_cpus : 1, sizeof(*live->pages));
    for (unsigned cpu = 0; live->pages && cpu < live->capture->nr_cpus; cpu++)
        if (!code_pages_collect(&live->pages[cpu], live->capture, (uint16_t)cpu, error))
            return false;
    return live->pages != NULL;
}

/* Open the names of the capture as it is now, if it is time for that. */
static void renew(struct live_names *live, bool last)
{
    struct error error = {0};
    const double start = monotonic_seconds();
    if (!last && live->capture && start - live->opened < SHARE * live->cost)
        return;
    forget(live);
    live->capture = capture_open(live->directory, &error);
    if (live->capture) {
        text_find_number(&live->khz, live->capture->hello, "tsc_khz");
        if (collect(live, &error))
            live->names = live->open(live->context, live->capture);
    }
    if (live->capture && !live->names)
        forget(live);
    live->opened = monotonic_seconds();
    live->cost = live->opened - start;
}

/* Is all that a CPU needs at a trace offset in the capture as it was opened? */
static bool reaches(const struct live_names *live, uint16_t cpu, uint64_t at)
{
    return live->names && cpu < live->capture->nr_cpus && at <= live->capture->cpus[cpu].size;
}

/* --- functions --- */

static void write_name(char text[NAME_TEXT], const struct name *name)
{
    const bool bare = !name->object || !strcmp(name->object, "vmlinux");
    if (name->symbol) {
        const size_t length = strlen(name->shown), part = sizeof(".cold") - 1;
        const bool cold = length > part && !strcmp(name->shown + length - part, ".cold");
        snprintf(text, NAME_TEXT, bare ? "%.*s" : "%.*s [%s]", (int)(length - (cold ? part : 0)), name->shown,
                 name->object);
    } else if (name->object) {
        snprintf(text, NAME_TEXT, "%s at %" PRIx64, name->object, name->begin);
    } else {
        snprintf(text, NAME_TEXT, "%" PRIx64, name->begin);
    }
}

static void set_mark(struct live_sums *sums, enum profile_mark mark, uint64_t tsc, uint64_t after)
{
    struct profile_marked *marked = &sums->marks[mark];
    if (!marked->known || after < marked->branches)
        *marked = (struct profile_marked){true, tsc, after};
}

static void set_marks(struct live_sums *sums, const struct live_spot *spot, const struct name *name)
{
    if (spot->address >> 63)
        set_mark(sums, PROFILE_KERNEL, spot->tsc, spot->after);
    for (size_t i = 0; name && i < PROFILE_NR_MARK_SYMBOLS; i++)
        if (symbol_is(name->symbol, profile_mark_symbols[i].symbol))
            set_mark(sums, profile_mark_symbols[i].mark, spot->tsc, spot->after);
}

/* false: it must wait for its name. */
static bool resolve_spot(struct live_names *live, struct live_sums *sums, const struct live_spot *spot, bool last)
{
    char text[NAME_TEXT];
    const struct name *name = NULL;
    const bool whole = reaches(live, spot->cpu, spot->at);
    if (live->names && spot->cpu < live->capture->nr_cpus)
        name = names_find(live->names, &live->pages[spot->cpu], spot->cr3, spot->at, spot->address);
    if (!last && !whole && !(name && name->symbol && spot->address >> 63))
        return false;
    if (name)
        write_name(text, name);
    else
        snprintf(text, sizeof(text), "%" PRIx64, spot->address & ~(uint64_t)(RECORD_PAGE_SIZE - 1));
    set_marks(sums, spot, name);
    live_table_add(&sums->functions, text, spot->branches);
    return true;
}

/* --- processes --- */

static bool resolve_run(struct live_names *live, struct live_sums *sums, const struct live_run *run, bool last)
{
    char text[NAME_TEXT];
    const bool whole = reaches(live, run->cpu, run->at);
    if (!whole && !last)
        return false;
    const char *process = whole && run->cr3 != FLOW_CR3_UNKNOWN
                              ? names_process_text(live->names, &live->pages[run->cpu], run->cr3, run->at)
                              : NULL;
    if (process)
        snprintf(text, sizeof(text), "%s", process);
    else if (run->user && sums->marks[PROFILE_USER].known)
        snprintf(text, sizeof(text), "? (CR3 %" PRIx64 ")", run->cr3);
    else
        snprintf(text, sizeof(text), "kernel tasks, and code before the kernel");
    live_table_add(&sums->processes, text, run->branches);
    return true;
}

void live_names_resolve(struct live_names *live, struct live_counts *counts, struct live_sums *sums, bool last)
{
    struct live_counts rest = {0};
    renew(live, last);
    if (counts->user_known)
        set_mark(sums, PROFILE_USER, counts->user_tsc, counts->user_after);
    for (size_t i = 0; i < counts->size; i++)
        if (counts->spots[i].branches && !resolve_spot(live, sums, &counts->spots[i], last))
            live_counts_put_spot(&rest, &counts->spots[i]);
    for (size_t i = 0; i < counts->nr_runs; i++)
        if (!resolve_run(live, sums, &counts->runs[i], last))
            live_counts_put_run(&rest, &counts->runs[i]);
    live_counts_replace(counts, &rest);
    live_table_turn(&sums->functions);
    live_table_turn(&sums->processes);
}

const char *live_names_place(struct live_names *live, char text[LIVE_PLACE_SIZE], unsigned cpu, uint64_t address)
{
    const struct name *name =
        live->names && cpu < live->capture->nr_cpus
            ? names_find(live->names, &live->pages[cpu], 0, live->capture->cpus[cpu].size, address)
            : NULL;
    if (name && name->symbol)
        snprintf(text, LIVE_PLACE_SIZE, "%s+0x%" PRIx64, name->shown, address - name->begin);
    else
        snprintf(text, LIVE_PLACE_SIZE, "%" PRIx64, address);
    return text;
}
