/* A CPU's list is continued when all of its lines are written, until it has a new one; then the line with the lowest
 * time is written. */
#include "decode/cli/trace/trace_merge.h"

#include <stdlib.h>

#include "decode/cli/trace/trace_cpu.h"
#include "decode/cli/trace/trace_lines.h"

struct cpu_list {
    struct trace_list list; /* writes into lines */
    struct trace_cpu cpu;
    struct trace_lines lines;
    bool no_memory;
};

/* Called by trace_line_end. */
static void take_line(struct trace_list *list, uint64_t tsc)
{
    struct cpu_list *own = list->line_context;
    own->no_memory |= !trace_lines_add(&own->lines, tsc);
    list->done |= own->no_memory;
}

static bool start(struct cpu_list *own, const struct trace_list *list, uint16_t number, struct error *error)
{
    own->list = *list;
    own->list.cpu = number;
    own->list.line_taken = take_line;
    own->list.line_context = own;
    own->list.function = (struct wanted_functions){.pattern = list->function.pattern};
    own->list.from = (struct wanted_functions){.pattern = list->from.pattern};
    own->list.to = (struct wanted_functions){.pattern = list->to.pattern};
    if (!trace_lines_open(&own->lines))
        return error_set(error, ERROR_MEMORY, 0, "the list of CPU %u", number);
    own->list.file = own->lines.file;
    return trace_cpu_open(&own->cpu, &own->list, error);
}

/* Continue the list until it has lines, or ends. */
static bool find_lines(struct cpu_list *own, struct error *error)
{
    bool good = true;
    while (good && !trace_lines_wait(&own->lines) && !own->cpu.ended)
        good = trace_cpu_step(&own->cpu, error);
    return good && (!own->no_memory || error_set(error, ERROR_MEMORY, 0, "lines of CPU %u", own->list.cpu));
}

/* The list with the earliest next line. NULL: there is none, or an error. */
static struct cpu_list *find_first(struct cpu_list *cpus, unsigned count, struct error *error)
{
    struct cpu_list *first = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (!find_lines(&cpus[i], error))
            return NULL;
        if (trace_lines_wait(&cpus[i].lines) &&
            (!first || trace_lines_tsc(&cpus[i].lines) < trace_lines_tsc(&first->lines)))
            first = &cpus[i];
    }
    return first;
}

static void stop(struct cpu_list *own)
{
    trace_cpu_close(&own->cpu);
    wanted_functions_free(&own->list.function);
    wanted_functions_free(&own->list.from);
    wanted_functions_free(&own->list.to);
    trace_lines_close(&own->lines);
}

bool trace_merge(struct trace_list *list, struct error *error)
{
    const struct capture *capture = list->indexed->capture;
    struct cpu_list *cpus = calloc(capture->nr_cpus + 1u, sizeof(*cpus)), *first;
    unsigned count = 0;
    bool good = cpus || error_set(error, ERROR_MEMORY, 0, "the lists of %u CPUs", capture->nr_cpus);
    for (unsigned cpu = 0; cpu < capture->nr_cpus && good; cpu++)
        if (capture->cpus[cpu].present)
            good = start(&cpus[count++], list, (uint16_t)cpu, error);
    while (good && !list->done && (first = find_first(cpus, count, error))) {
        trace_lines_write(&first->lines, list->file);
        trace_line_count(list);
    }
    for (unsigned i = 0; i < count; i++)
        stop(&cpus[i]);
    free(cpus);
    return good && !error->kind;
}
