/*
 * Each CPU's list is made by a thread of its own, but only one runs at a time: names and what is wanted are for one.
 * A CPU goes on where none of its lines are left, until it has some; then the one whose time comes first is written.
 */
#include "decode/cli/trace_merge.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/cli/trace_cpu.h"

#define LINES_AT_ONCE 512u

struct line {
    uint64_t tsc;
    size_t end; /* in the text */
};

struct cpu_list {
    struct trace_list list; /* writes into text */
    pthread_t thread;
    bool started, ended, good;
    struct error error;
    sem_t go, *back; /* it may go on; it has stopped */
    char *text;
    size_t text_size;
    struct line *lines;
    size_t count, room, next;
};

/* Of trace_line_end. */
static void take_line(struct trace_list *list, uint64_t tsc)
{
    struct cpu_list *cpu = list->line_context;
    void *items = cpu->lines;
    struct line *line = list_add(&items, &cpu->count, &cpu->room, sizeof(*line));
    cpu->lines = items;
    if (line)
        *line = (struct line){tsc, (size_t)ftello(list->file)};
    else
        cpu->good = error_set(&cpu->error, ERROR_MEMORY, 0, "lines of CPU %u", list->cpu);
    list->done |= !cpu->good;
    if (cpu->count < LINES_AT_ONCE || list->done)
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
    cpu->list.file = open_memstream(&cpu->text, &cpu->text_size);
    sem_init(&cpu->go, 0, 0);
    cpu->started = cpu->list.file && pthread_create(&cpu->thread, NULL, run, cpu) == 0;
    return cpu->started;
}

/* Until it has lines, or none any more. */
static void go_on(struct cpu_list *cpu)
{
    if (cpu->next < cpu->count || cpu->ended)
        return;
    rewind(cpu->list.file);
    cpu->count = cpu->next = 0;
    sem_post(&cpu->go);
    while (sem_wait(cpu->back) != 0)
        ;
    fflush(cpu->list.file);
}

static struct cpu_list *find_first(struct cpu_list *cpus, unsigned count)
{
    struct cpu_list *first = NULL;
    for (unsigned i = 0; i < count; i++) {
        go_on(&cpus[i]);
        if (cpus[i].next < cpus[i].count && (!first || cpus[i].lines[cpus[i].next].tsc < first->lines[first->next].tsc))
            first = &cpus[i];
    }
    return first;
}

static void write_line(struct trace_list *list, struct cpu_list *cpu)
{
    const size_t begin = cpu->next ? cpu->lines[cpu->next - 1].end : 0;
    fwrite(cpu->text + begin, 1, cpu->lines[cpu->next].end - begin, list->file);
    cpu->next++;
    trace_line_count(list);
}

/* It need not list any more. */
static void stop(struct cpu_list *cpu)
{
    while (cpu->started && !cpu->ended) {
        cpu->list.done = true;
        cpu->next = cpu->count;
        go_on(cpu);
    }
    if (cpu->started)
        pthread_join(cpu->thread, NULL);
    if (cpu->list.file)
        fclose(cpu->list.file);
    sem_destroy(&cpu->go);
    wanted_functions_free(&cpu->list.function);
    wanted_functions_free(&cpu->list.from);
    wanted_functions_free(&cpu->list.to);
    free(cpu->text);
    free(cpu->lines);
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
    while (good && !list->done && (first = find_first(cpus, count)))
        write_line(list, first);
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
