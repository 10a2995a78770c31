#include "decode/report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "decode/report/number_text.h"

void timeline_take(struct timeline *timeline, unsigned cpu, const struct flow_result *results, size_t nr_results)
{
    struct timeline_point *more =
        realloc(timeline->points, (timeline->count + nr_results + 1) * sizeof(*timeline->points));
    if (!more) {
        timeline->no_memory = true;
        return;
    }
    timeline->points = more;
    for (size_t i = 0; i < nr_results; i++) {
        if (results[i].tsc)
            timeline->points[timeline->count++] =
                (struct timeline_point){.tsc = results[i].tsc, .branches = results[i].branches, .cpu = cpu};
        else
            timeline->untimed++;
    }
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->points);
    *timeline = (struct timeline){0};
}

static void timeline_ends(const struct timeline *timeline, uint64_t *from, uint64_t *to)
{
    *from = UINT64_MAX;
    *to = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        *from = timeline->points[i].tsc < *from ? timeline->points[i].tsc : *from;
        *to = timeline->points[i].tsc > *to ? timeline->points[i].tsc : *to;
    }
}

/* Ticks of a span. The last span includes the last point. */
static uint64_t span_ticks(uint64_t from, uint64_t to)
{
    return (to - from) / TIMELINE_SPANS + 1;
}

static uint64_t span_branches(const struct timeline *timeline, unsigned cpu, uint64_t from, uint64_t ticks)
{
    uint64_t branches = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct timeline_point *point = &timeline->points[i];
        if (point->cpu == cpu && point->tsc >= from && point->tsc - from < ticks)
            branches += point->branches;
    }
    return branches;
}

/* The number of CPUs that fit 100 columns. */
#define CPUS_A_TABLE 5u

static void print_spans(FILE *file, const struct timeline *timeline, uint64_t khz, unsigned first, unsigned end)
{
    uint64_t from, to;
    char number[COUNT_TEXT_SIZE];
    timeline_ends(timeline, &from, &to);
    const uint64_t ticks = span_ticks(from, to);
    fprintf(file, "  %*s", khz ? 10 : 18, khz ? "from s" : "TSC");
    for (unsigned cpu = first; cpu < end; cpu++)
        fprintf(file, "%*sCPU %u", cpu < 10 ? 10 : cpu < 100 ? 9 : 8, "", cpu);
    for (unsigned span = 0; span < TIMELINE_SPANS; span++) {
        const uint64_t begin = from + span * ticks;
        if (khz)
            fprintf(file, "\n  %10.3f", (double)(begin - from) / (double)khz / 1000);
        else
            fprintf(file, "\n  %18" PRIu64, begin);
        for (unsigned cpu = first; cpu < end; cpu++)
            fprintf(file, " %14s", count_text(number, span_branches(timeline, cpu, begin, ticks)));
    }
    fputc('\n', file);
}

void timeline_print(FILE *file, const struct timeline *timeline, uint64_t khz, unsigned nr_cpus)
{
    char number[COUNT_TEXT_SIZE];
    fputs("\nTime line: branches of each CPU\n", file);
    if (timeline->count == 0) {
        fputs("  The trace has no TSC packets (pt.tsc=off): the CPUs' times are not known.\n", file);
        return;
    }
    for (unsigned cpu = 0; cpu < nr_cpus; cpu += CPUS_A_TABLE)
        print_spans(file, timeline, khz, cpu, nr_cpus - cpu < CPUS_A_TABLE ? nr_cpus : cpu + CPUS_A_TABLE);
    if (timeline->untimed)
        fprintf(file, "  and %s stretches of unknown time\n", count_text(number, timeline->untimed));
}

void timeline_json(FILE *file, const struct timeline *timeline, unsigned nr_cpus)
{
    uint64_t from, to;
    if (timeline->count == 0) {
        fputs("null", file);
        return;
    }
    timeline_ends(timeline, &from, &to);
    uint64_t ticks = span_ticks(from, to);
    fprintf(file, "{\"tsc_from\": %" PRIu64 ", \"tsc_to\": %" PRIu64 ", \"ticks\": %" PRIu64 ", \"branches\": [", from,
            to, ticks);
    for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
        fputs(cpu ? ", [" : "[", file);
        for (unsigned span = 0; span < TIMELINE_SPANS; span++)
            fprintf(file, "%s%" PRIu64, span ? ", " : "", span_branches(timeline, cpu, from + span * ticks, ticks));
        fputs("]", file);
    }
    fputs("]}", file);
}
