#include <inttypes.h>
#include <stdlib.h>

#include "decode/report/json.h"
#include "decode/report/profile_report.h"

/* With nanoseconds: a function may run for less than a millisecond in total. */
static void seconds_json(FILE *file, const char *name, uint64_t ticks, uint64_t khz, const char *after)
{
    if (khz)
        fprintf(file, "\"%s\": %.9f%s", name, (double)ticks / (double)khz / 1000, after);
    else
        fprintf(file, "\"%s\": null%s", name, after);
}

/* Write address and name of a function. */
static void name_json(FILE *file, const struct name *name)
{
    fprintf(file, "{\"address\": \"%" PRIx64 "\", ", name->begin);
    json_string(file, "symbol", name->shown, ", ");
    json_string(file, "object", name->object, ", ");
}

static void phases_json(FILE *file, const struct profile_view *view)
{
    const struct profile *profile = view->profile;
    struct profile_phase phases[PROFILE_MAX_PHASES];
    const size_t count = view->window ? 0 : profile_phases(phases, profile);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n      {" : "\n      {", file);
        json_string(file, "name", phases[i].name, ", ");
        seconds_json(file, "from", phases[i].from_tsc - view->origin, view->khz, ", ");
        seconds_json(file, "seconds", phases[i].to_tsc - phases[i].from_tsc, view->khz, ", ");
        json_figure(file, "branches", figure_of(phases[i].branches), "}");
    }
}

/* A point in time. A process may have been entered, and executed nothing. */
static uint64_t since_origin(const struct profile_view *view, uint64_t tsc)
{
    return tsc > view->origin ? tsc - view->origin : 0;
}

static void processes_json(FILE *file, const struct profile_view *view)
{
    const struct profile *profile = view->profile;
    size_t count;
    struct profile_sum *sums = profile_sums(profile, &count);
    for (size_t i = 0; sums && i < count; i++) {
        const struct profile_process *process = &profile->processes[sums[i].process];
        fputs(i ? ",\n      {" : "\n      {", file);
        if (process->space == FLOW_CR3_UNKNOWN)
            fputs("\"cr3\": null, ", file);
        else
            fprintf(file, "\"cr3\": \"%" PRIx64 "\", ", process->space);
        json_string(file, "program", process->name, ", ");
        json_figure(file, "pid", (struct figure){process->task, process->task ? process->task->pid : 0}, ", ");
        json_string(file, "comm", process->task ? process->task->comm : NULL, ", ");
        seconds_json(file, "from", since_origin(view, process->begin_tsc), view->khz, ", ");
        seconds_json(file, "to", since_origin(view, process->end_tsc), view->khz, ", ");
        seconds_json(file, "seconds", sums[i].ticks, view->khz, ", ");
        json_figure(file, "branches", figure_of(sums[i].branches), "}");
    }
    free(sums);
}

static void functions_json(FILE *file, const struct profile_view *view)
{
    const struct profile *profile = view->profile;
    size_t count;
    struct profile_function *functions = profile_functions(profile, 0, &count);
    for (size_t i = 0; functions && i < count; i++) {
        fputs(i ? ",\n      " : "\n      ", file);
        name_json(file, functions[i].name);
        json_figure(file, "calls", figure_of(functions[i].calls), ", ");
        json_figure(file, "branches", figure_of(functions[i].branches), ", ");
        json_figure(file, "total_branches", figure_of(functions[i].total_branches), ", ");
        seconds_json(file, "seconds", functions[i].ticks, view->khz, ", ");
        seconds_json(file, "total_seconds", functions[i].total_ticks, view->khz, "}");
    }
    free(functions);
}

static void entries_json(FILE *file, const struct profile_view *view)
{
    const struct profile *profile = view->profile;
    size_t count;
    struct profile_function *functions = profile_entries(profile, STACK_INTERRUPT, &count);
    for (size_t i = 0; functions && i < count; i++) {
        fputs(i ? ",\n      " : "\n      ", file);
        name_json(file, functions[i].name);
        json_figure(file, "number", figure_of(functions[i].calls), ", ");
        json_figure(file, "total_branches", figure_of(functions[i].total_branches), ", ");
        seconds_json(file, "total_seconds", functions[i].total_ticks, view->khz, "}");
    }
    free(functions);
}

void profile_json(FILE *file, const struct profile_view *view)
{
    const struct profile *profile = view->profile;
    static const struct {
        const char *name;
        void (*write)(FILE *file, const struct profile_view *view);
    } parts[] = {{"phases", phases_json},
                 {"processes", processes_json},
                 {"functions", functions_json},
                 {"interrupts", entries_json}};
    fputs("\"profile\": {\n    ", file);
    json_figure(file, "branches", figure_of(profile->branches), ",\n    ");
    json_figure(file, "branches_of_unknown", figure_of(profile->lost_branches), ",\n    ");
    seconds_json(file, "seconds", profile->last_tsc - profile->first_tsc, view->khz, "");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        fprintf(file, ",\n    \"%s\": [", parts[i].name);
        parts[i].write(file, view);
        fputs("]", file);
    }
    fputs("\n  }", file);
}
