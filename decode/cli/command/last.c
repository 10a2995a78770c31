/* undertrace last: how a trace ended, and what each CPU did last. */
#include <stdio.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/options/measure_options.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/measure_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/stack_text.h"
#include "decode/measure/ending.h"
#include "decode/measure/recent.h"
#include "decode/report/json.h"

static const char usage[] =
    "usage: undertrace last CAPTURE [options]\n"
    "\n"
    "Prints how the trace ended (power-off, reset, triple fault, sleep, a lost wire, silence), and for each\n"
    "CPU, the one that was traced last first, the functions that it called last, with how long that was\n"
    "before the end of the trace, and the calls that had not returned.\n"
    "\n"
    "  --lines N           print the last N functions of each CPU (default: 12)\n"
    "  --within S          of the other CPUs, print only those of the last S seconds (default: "
    "0.001)\n" MEASURE_CPU_USAGE MEASURE_USAGE "\n"
    "Reset and power-off are distinguished by the functions that were open, so without names they are not.\n"
    "\n"
    "Exit status: 0 all is known; 1 an error; 2 parts of the trace are missing.\n";

#define LOG_LINES 4u

struct arguments {
    struct measure_options options;
    double within;
};

static const char *const words[] = {[ENDING_TRIPLE_FAULT] = "triple-fault",
                                    [ENDING_STOPPED] = "stopped",
                                    [ENDING_SLEEP] = "sleep",
                                    [ENDING_RESET] = "reset",
                                    [ENDING_POWER_OFF] = "power-off",
                                    [ENDING_DOWN] = "down",
                                    [ENDING_CHANNEL] = "channel",
                                    [ENDING_WIRE] = "wire",
                                    [ENDING_SILENCE] = "silence"};

static const char *const texts[] = {
    [ENDING_TRIPLE_FAULT] = "a triple fault of the guest",
    [ENDING_STOPPED] = "the hypervisor stopped the machine",
    [ENDING_SLEEP] = "the guest put the machine to sleep",
    [ENDING_RESET] = "a reset",
    [ENDING_POWER_OFF] = "a power-off",
    [ENDING_DOWN] = "the machine went down, by a power-off or a reset; no open function says which",
    [ENDING_CHANNEL] = "the channel accepted nothing for net.stall= or uart.stall= seconds; the guest ran on untraced",
    [ENDING_WIRE] = "the wire: the last part of the trace was lost",
    [ENDING_SILENCE] = "silence: no end record came, so the machine, the wire or the receiver stopped without notice"};

static void print_ending(const struct measure *measure, const struct ending *ending)
{
    struct record_text lines[LOG_LINES];
    const size_t count = ending_log(lines, LOG_LINES, measure->run->capture);
    printf("The end: %s%s%s%s\n", texts[ending->kind], ending->function ? " (" : "",
           ending->function ? ending->function : "", ending->function ? ")" : "");
    if (ending->nr_ended < ending->nr_cpus)
        printf("  %u of %u CPUs sent their end record\n", ending->nr_ended, ending->nr_cpus);
    for (size_t i = count; i-- > 0;)
        printf("  log: %.*s\n", (int)lines[i].size, lines[i].bytes);
}

/* A length before the end, with its sign if it is not 0. */
static const char *before_text(char text[SPAN_TEXT_SIZE + 1], const struct measure *measure, uint64_t ticks)
{
    text[0] = '-';
    ticks_text(text + 1, measure, ticks);
    return ticks ? text : text + 1;
}

/* How many calls of a CPU are shown: lines, or fewer of a CPU that was not the last. */
static size_t shown_of(const struct recent *recent, unsigned cpu, uint64_t lines, uint64_t since)
{
    size_t count = 0;
    while (count < recent_count(recent, cpu) && count < lines && recent_call(recent, cpu, count)->begin >= since)
        count++;
    return count;
}

static void print_cpu(const struct measure *measure, const struct recent *recent, unsigned number, size_t shown)
{
    const struct open_cpu *cpu = &recent->calls->cpus[number];
    const uint64_t end = recent->calls->last;
    char text[TASK_TEXT_SIZE], at[SPAN_TEXT_SIZE], before[SPAN_TEXT_SIZE + 1];
    printf("\nCPU %u, traced up to %s (%s): ", number, moment_text(at, measure, cpu->tsc),
           before_text(before, measure, end - cpu->tsc));
    puts(cpu->task ? measure_task_text(text, measure, cpu->task) : "it is not known what ran");
    if (shown)
        puts("  called last");
    for (size_t i = shown; i-- > 0;) {
        const struct recent_call *call = recent_call(recent, number, i);
        char name[FUNCTION_TEXT_SIZE];
        printf("  %12s  %*s%.60s%s%s\n", before_text(before, measure, end - call->begin),
               (int)(call->depth < 20 ? call->depth : 20), "", function_text(name, call->name),
               open_entry_text(call->entry)[0] ? ", " : "", open_entry_text(call->entry));
    }
    if (!cpu->task)
        return;
    puts("  not returned from");
    open_calls_print(measure, cpu->task, cpu->tsc, UINT64_MAX);
}

static void cpu_json(const struct measure *measure, const struct recent *recent, unsigned number, size_t shown)
{
    const struct open_cpu *cpu = &recent->calls->cpus[number];
    printf("\n  {\"cpu\": %u, ", number);
    json_figure(stdout, "until", figure_of(calls_nanoseconds(&measure->run->clock, cpu->tsc)), ", ");
    fputs("\"called_last\": [", stdout);
    for (size_t i = shown; i-- > 0;) {
        const struct recent_call *call = recent_call(recent, number, i);
        fputs(i + 1 < shown ? ",\n    {" : "\n    {", stdout);
        function_json(call->name);
        json_figure(stdout, "depth", figure_of(call->depth), ", ");
        json_figure(stdout, "at", figure_of(calls_nanoseconds(&measure->run->clock, call->begin)), "}");
    }
    fputs("]", stdout);
    if (cpu->task) {
        fputs(", ", stdout);
        open_task_json(measure, cpu->task, cpu->tsc);
    }
    putchar('}');
}

/* The CPU that was traced last, then the others. */
static void print_cpus(const struct measure *measure, const struct recent *recent, const struct arguments *a)
{
    const struct open_calls *calls = recent->calls;
    const double khz = measure->run->clock.khz ? (double)measure->run->clock.khz : 1000000;
    const uint64_t within = (uint64_t)(a->within * khz * 1000);
    const uint64_t since = calls->last > within ? calls->last - within : 0;
    unsigned last = 0;
    bool any = false;
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        if (calls->cpus[cpu].present && (!calls->cpus[last].present || calls->cpus[cpu].tsc > calls->cpus[last].tsc))
            last = cpu;
    for (unsigned i = 0; i <= CAPTURE_MAX_CPUS; i++) {
        const unsigned cpu = i == 0 ? last : i - 1;
        if (!calls->cpus[cpu].present || (i > 0 && cpu == last))
            continue;
        const size_t shown = shown_of(recent, cpu, a->options.lines, i == 0 ? 0 : since);
        if (a->options.json && any)
            putchar(',');
        (a->options.json ? cpu_json : print_cpu)(measure, recent, cpu, shown);
        any = true;
    }
}

static void print(const struct measure *measure, const struct recent *recent, const struct arguments *a)
{
    const struct ending ending = ending_find(measure->run->capture, recent->calls);
    if (!a->options.json) {
        pager_start();
        print_ending(measure, &ending);
        print_cpus(measure, recent, a);
        measure_print_precision(measure);
        return;
    }
    putchar('{');
    measure_json(measure);
    json_string(stdout, "end", words[ending.kind], ", ");
    json_string(stdout, "function", ending.function, ", ");
    json_figure(stdout, "cpus_ended", figure_of(ending.nr_ended), ", ");
    json_figure(stdout, "until", figure_of(calls_nanoseconds(&measure->run->clock, recent->calls->last)), ", ");
    fputs("\"cpus\": [", stdout);
    print_cpus(measure, recent, a);
    puts("]}");
}

int command_last(int argc, char **argv)
{
    static struct arguments a = {.options = MEASURE_DEFAULTS, .within = 0.001};
    const struct argument options[] = {MEASURE_ARGUMENTS(&a.options),
                                       {"lines", ARGUMENT_NUMBER, &a.options.lines, 100000},
                                       {"within", ARGUMENT_SECONDS, &a.within, 0}};
    const struct syntax syntax = {"last", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    a.options.lines = 12;
    int status = arguments_parse(&syntax, argc, argv, &a.options.common.capture);
    struct calls_run run;
    struct measure measure;
    struct error error = {0};
    static struct recent recent;
    if (status != ARGUMENTS_GOOD)
        return status;
    status = 1;
    recent.most = a.options.lines > 0 ? (size_t)a.options.lines : 1;
    if (measure_begin(&measure, &run, "last", &a.options)) {
        if (recent_collect(&recent, &run, &error)) {
            print(&measure, &recent, &a);
            status = export_missing(&run);
        } else {
            error_print(&error);
        }
    }
    recent_free(&recent);
    export_close(&run);
    return status;
}
