#include "decode/live/live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/monotonic.h"

#define INTERVAL 1.0 /* seconds after which names are found again */

struct live_watch {
    struct live_names names; /* these belong to the decoding thread */
    struct live_counts counts;
    struct live_sums sums;
    struct live_view next;
    double looked;
    pthread_mutex_t lock;
    struct live_view view; /* with the lock, which is held only to copy it */
};

struct live_watch *live_watch_open(const char *directory, live_names_open *open, void *context)
{
    struct live_watch *watch = calloc(1, sizeof(*watch));
    if (!watch)
        return NULL;
    watch->names = (struct live_names){.directory = directory, .open = open, .context = context};
    watch->looked = monotonic_seconds();
    pthread_mutex_init(&watch->lock, NULL);
    return watch;
}

static void list(struct live_list *list, const struct live_table *table, bool last)
{
    struct live_row top[LIVE_ROWS];
    list->shown = live_table_top(table, last ? LIVE_BY_ALL : LIVE_BY_NOW, top, LIVE_ROWS);
    list->count = table->used;
    list->branches = table->branches;
    list->now = table->now;
    for (size_t i = 0; i < list->shown; i++) {
        struct live_line *line = &list->lines[i];
        snprintf(line->text, sizeof(line->text), "%s", top[i].text);
        line->branches = top[i].branches;
        line->now = top[i].now;
    }
}

static void publish(struct live_watch *watch, bool last)
{
    struct live_view *view = &watch->next;
    const struct live_counts *counts = &watch->counts;
    list(&view->functions, &watch->sums.functions, last);
    list(&view->processes, &watch->sums.processes, last);
    memcpy(view->marks, watch->sums.marks, sizeof(view->marks));
    view->last = last;
    view->first_tsc = counts->first_tsc;
    view->last_tsc = counts->last_tsc;
    view->khz = watch->names.khz;
    view->branches = counts->branches;
    view->full = counts->full || watch->sums.functions.full || watch->sums.processes.full;
    for (unsigned cpu = 0; cpu < LIVE_CPUS; cpu++)
        if (counts->last_to[cpu])
            live_names_place(&watch->names, view->places[cpu], cpu, counts->last_to[cpu]);
    pthread_mutex_lock(&watch->lock);
    watch->view = *view;
    pthread_mutex_unlock(&watch->lock);
}

static void look_up(struct live_watch *watch, bool last)
{
    if (!last && monotonic_seconds() - watch->looked < INTERVAL)
        return;
    live_names_resolve(&watch->names, &watch->counts, &watch->sums, last);
    publish(watch, last);
    watch->looked = monotonic_seconds();
}

static void take(void *context, uint16_t cpu, const struct flow_batch *batch)
{
    struct live_watch *watch = context;
    (void)cpu;
    live_counts_take(&watch->counts, batch);
}

static void settle(void *context, uint16_t cpu, bool kept)
{
    struct live_watch *watch = context;
    live_counts_settle(&watch->counts, cpu, kept);
    look_up(watch, false);
}

static void scanned(void *context, bool last)
{
    look_up(context, last);
}

struct flow_live_observer live_watch_observer(struct live_watch *watch)
{
    return (struct flow_live_observer){LIVE_COUNTS_NEEDS, take, settle, scanned, watch};
}

void live_watch_read(struct live_watch *watch, struct live_view *view)
{
    if (pthread_mutex_trylock(&watch->lock) != 0)
        return;
    *view = watch->view;
    pthread_mutex_unlock(&watch->lock);
}

void live_watch_close(struct live_watch *watch)
{
    live_names_close(&watch->names);
    live_counts_free(&watch->counts);
    live_table_free(&watch->sums.functions);
    live_table_free(&watch->sums.processes);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}
