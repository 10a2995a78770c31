/*
 * Each CPU's list is made by a thread of its own, but only one runs at a time: names and what is wanted are for one.
 * A CPU goes on where none of its lines are left, until it has some; then the one whose time comes first is written.
 */
#include "decode/cli/trace/trace_merge.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "decode/cli/trace/trace_cpu.h"
#include "decode/cli/trace/trace_lines.h"

#define LINES_AT_ONCE 512u

struct cpu_list {
    struct trace_list list; /* writes into text */
    pthread_t thread;
    bool started, ended, good;
    struct error error;
    sem_t go, *back; /* it may go on; it has stopped */
    struct trace_lines lines;
};

/* Of trace_line_end. */
static void take_line(struct trace_list *list, uint64_t tsc)
{
    struct cpu_list *cpu = list->line_context;
    if (!trace_lines_add(&cpu->lines, tsc))
        cpu->good = error_set(&cpu->error, ERROR_MEMORY, 0, "lines of CPU %u", list->cpu);
    list->done |= !cpu->good;
    if (cpu->lines.count < LINES_AT_ONCE || list->done)
        return;
    sem_post(cpu->back);
    sem_wait(&cpu->go);
}

static void *run(void *argument)
{
    struct cpu_list *cpu = argument;
    sem_wait(&cpu->go);
    const bool good = trace_cpu(&cpu->list, &cpu->error);
    cpu->good = cpu->good && good;
    cpu->ended = true;
    sem_post(cpu->back);
    return NULL;
}

static bool start(struct cpu_list *cpu, const struct trace_list *list, uint16_t number, sem_t *back)
{
    cpu->list = *list;
    cpu->list.cpu = number;
    cpu->list.line_taken = take_line;
    cpu->list.line_context = cpu;
    cpu->list.function = (struct wanted_functions){.pattern = list->function.pattern};
    cpu->list.from = (struct wanted_functions){.pattern = list->from.pattern};
    cpu->list.to = (struct wanted_functions){.pattern = list->to.pattern};
    cpu->good = true;
    cpu->back = back;
    sem_init(&cpu->go, 0, 0);
    const bool open = trace_lines_open(&cpu->lines);
    cpu->list.file = cpu->lines.file;
    cpu->started = open && pthread_create(&cpu->thread, NULL, run, cpu) == 0;
    return cpu->started;
}

/* Until it has lines, or none any more. */
static void go_on(struct cpu_list *cpu)
{
    if (trace_lines_wait(&cpu->lines) || cpu->ended)
        return;
    sem_post(&cpu->go);
    while (sem_wait(cpu->back) != 0)
        ;
}

static struct cpu_list *find_first(struct cpu_list *cpus, unsigned count)
{
    struct cpu_list *first = NULL;
    for (unsigned i = 0; i < count; i++) {
        go_on(&cpus[i]);
        if (trace_lines_wait(&cpus[i].lines) &&
            (!first || trace_lines_tsc(&cpus[i].lines) < trace_lines_tsc(&first->lines)))
            first = &cpus[i];
    }
    return first;
}

/* It need not list any more. */
static void stop(struct cpu_list *cpu)
{
    while (cpu->started && !cpu->ended) {
        cpu->list.done = true;
        trace_lines_drop(&cpu->lines);
        go_on(cpu);
    }
    if (cpu->started)
        pthread_join(cpu->thread, NULL);
    sem_destroy(&cpu->go);
    wanted_functions_free(&cpu->list.function);
    wanted_functions_free(&cpu->list.from);
    wanted_functions_free(&cpu->list.to);
    trace_lines_close(&cpu->lines);
}

bool trace_merge(struct trace_list *list, struct error *error)
{
    const struct capture *capture = list->ask->capture;
    struct cpu_list *cpus = calloc(capture->nr_cpus + 1u, sizeof(*cpus)), *first;
    unsigned count = 0;
    sem_t back;
    bool good = cpus != NULL;
    sem_init(&back, 0, 0);
    for (unsigned cpu = 0; cpu < capture->nr_cpus && good; cpu++)
        if (capture->cpus[cpu].present)
            good = start(&cpus[count++], list, (uint16_t)cpu, &back);
    if (!good)
        error_set(error, ERROR_MEMORY, 0, "the lists of %u CPUs", capture->nr_cpus);
    while (good && !list->done && (first = find_first(cpus, count))) {
        trace_lines_write(&first->lines, list->file);
        trace_line_count(list);
    }
    for (unsigned i = 0; i < count; i++) {
        stop(&cpus[i]);
        if (good && !cpus[i].good) {
            *error = cpus[i].error;
            good = false;
        }
    }
    sem_destroy(&back);
    free(cpus);
    return good;
}
