/* undertrace stack: the open calls of each CPU at a moment. */
#include <stdio.h>
#include <stdlib.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/measure_options.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/measure_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/stack_text.h"
#include "decode/measure/open_calls.h"
#include "decode/report/json.h"

static const char usage[] =
    "usage: undertrace stack CAPTURE --time T [options]\n"
    "\n"
    "Prints what each CPU was executing at a moment: its task, and each call that had not returned, the\n"
    "innermost first, with the time at which it began and how long it had lasted.\n"
    "\n"
    "  --time T            seconds since the first TSC (1.5), or ticks (1000t)\n" MEASURE_CPU_USAGE
    "  --tasks             also the tasks that did not run at that moment\n" MEASURE_USAGE "\n"
    "Everything since the last checkpoint before the moment is decoded: the first time, since the trace's\n"
    "beginning. A call that is under way began before the trace, or before a gap: its time is that at which it\n"
    "was first seen.\n"
    "\n"
    "Exit status: 0 all is known; 1 an error; 2 parts of the trace are missing.\n";

struct arguments {
    struct measure_options options;
    const char *time;
    bool tasks;
};

/* A task that does not run, although more may be seen of it. */
static bool waits(const struct open_calls *calls, const struct open_task *task)
{
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        if (calls->cpus[cpu].task == task)
            return false;
    return task->depth > 0 && !task->over;
}

static void print_cpu(const struct measure *measure, const struct open_cpu *cpu, uint64_t at)
{
    char text[TASK_TEXT_SIZE], since[SPAN_TEXT_SIZE];
    const uint64_t tsc = cpu->ended ? cpu->tsc : at;
    printf("CPU %u at %s%s: ", cpu->cpu, moment_text(since, measure, tsc), cpu->ended ? ", where its trace ends" : "");
    if (!cpu->task) {
        puts("it is not known what ran");
        return;
    }
    printf("%s\n", measure_task_text(text, measure, cpu->task));
    open_calls_print(measure, cpu->task, tsc, UINT64_MAX);
}

static void print_text(const struct measure *measure, const struct open_calls *calls, bool tasks)
{
    const uint64_t at = calls->to - 1;
    char text[TASK_TEXT_SIZE], since[SPAN_TEXT_SIZE];
    pager_start();
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        if (calls->cpus[cpu].present)
            print_cpu(measure, &calls->cpus[cpu], at);
    for (const struct open_task *task = calls->tasks; task && tasks; task = task->next)
        if (waits(calls, task)) {
            printf("%s, not running since %s\n", measure_task_text(text, measure, task),
                   moment_text(since, measure, task->since));
            open_calls_print(measure, task, at, UINT64_MAX);
        }
    measure_print_precision(measure);
}

static void print_json(const struct measure *measure, const struct open_calls *calls, bool tasks)
{
    const uint64_t at = calls->to - 1;
    const char *before = "";
    putchar('{');
    measure_json(measure);
    json_figure(stdout, "time", figure_of(calls_nanoseconds(&measure->run->clock, at)), ", ");
    fputs("\"cpus\": [", stdout);
    for (unsigned i = 0; i < CAPTURE_MAX_CPUS; i++) {
        const struct open_cpu *cpu = &calls->cpus[i];
        if (!cpu->present)
            continue;
        printf("%s\n  {\"cpu\": %u, \"ended\": %s", before, i, cpu->ended ? "true" : "false");
        if (cpu->task) {
            fputs(", ", stdout);
            open_task_json(measure, cpu->task, cpu->ended ? cpu->tsc : at);
        }
        putchar('}');
        before = ",";
    }
    fputs("], \"tasks\": [", stdout);
    before = "";
    for (const struct open_task *task = calls->tasks; task && tasks; task = task->next)
        if (waits(calls, task)) {
            printf("%s\n  {", before);
            json_figure(stdout, "since", figure_of(calls_nanoseconds(&measure->run->clock, task->since)), ", ");
            open_task_json(measure, task, at);
            putchar('}');
            before = ",";
        }
    puts("]}");
}

static int show(struct measure *measure, struct calls_run *run, const struct arguments *a)
{
    struct error error = {0};
    const struct open_hooks none = {0};
    struct open_calls *calls = open_calls_new(&none);
    int status = 1;
    if (calls)
        calls->resume_before = run->window.to;
    if (!calls)
        message_print("stack: out of memory for the open calls");
    else if (!open_calls_collect(calls, run, &error))
        error_print(&error);
    else {
        (a->options.json ? print_json : print_text)(measure, calls, a->tasks);
        status = export_missing(run);
    }
    open_calls_free(calls);
    return status;
}

int command_stack(int argc, char **argv)
{
    static struct arguments a = {.options = MEASURE_DEFAULTS};
    const struct argument options[] = {
        MEASURE_ARGUMENTS(&a.options), {"time", ARGUMENT_TEXT, &a.time, 0}, {"tasks", ARGUMENT_FLAG, &a.tasks, 0}};
    const struct syntax syntax = {"stack", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    int status = arguments_parse(&syntax, argc, argv, &a.options.common.capture);
    struct calls_run run;
    struct measure measure;
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!a.time) {
        message_print("stack: --time T is required; undertrace last shows the end of a trace");
        return 1;
    }
    status = 1;
    if (measure_begin(&measure, &run, "stack", &a.options) && export_until(&run, "stack", a.time))
        status = show(&measure, &run, &a);
    export_close(&run);
    return status;
}
