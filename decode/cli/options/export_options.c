#include "decode/cli/options/export_options.h"

#include <inttypes.h>
#include <string.h>

#include "decode/capture/capture_check.h"
#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/options/time_word.h"
#include "decode/cli/text/error_text.h"
#include "decode/flow/flow_trace.h"
#include "decode/flow/precision.h"
#include "decode/query/code_space_at.h"
#include "decode/report/number_text.h"

/* If the TSC's frequency is unknown, a tick counts as a nanosecond. */
static uint64_t khz_of(const struct calls_clock *clock)
{
    return clock->khz ? clock->khz : 1000000;
}

static bool find_window(struct calls_run *run, const struct export_options *options)
{
    const struct time_word_clock words = {run->clock.zero, khz_of(&run->clock), run->clock.by_branches};
    run->window = TIMES_ALL;
    if (options->time && !time_word_window(&run->window.from, &run->window.to, &words, options->time)) {
        message_print("--time: '%s' is not FROM-TO in seconds (1.5-2) or in ticks since the first TSC (1000t-2000t)",
                      options->time);
        return false;
    }
    if (run->window.from < run->window.to)
        return true;
    message_print("--time %s: the range is empty", options->time);
    return false;
}

/* The last time of all selected CPUs; 0: unknown. */
static uint64_t last_tsc(const struct calls_run *run)
{
    uint64_t last = 0;
    for (unsigned cpu = 0; cpu < run->capture->nr_cpus; cpu++) {
        struct flow_trace trace;
        struct error error = {0};
        if (!run->capture->cpus[cpu].present || (run->cpu != CALLS_ALL_CPUS && run->cpu != cpu))
            continue;
        const uint64_t tsc = flow_trace_open(&trace, run->capture, (uint16_t)cpu, &error) ? code_last_tsc(&trace) : 0;
        flow_trace_close(&trace);
        last = tsc > last ? tsc : last;
    }
    return last;
}

/* false: a message says that the time is after the trace's end. word: as it was given. */
static bool begins_in_trace(const struct calls_run *run, const char *command, uint64_t from, const char *word)
{
    const uint64_t last = run->clock.by_branches || from == 0 ? 0 : last_tsc(run);
    if (last == 0 || from <= last)
        return true;
    message_print("%s: --time %s: the trace ends at %.9f", command, word,
                  (double)calls_nanoseconds(&run->clock, last) / 1e9);
    return false;
}

static bool has_cpu(const struct calls_run *run)
{
    struct error error = {0};
    if (run->cpu == CALLS_ALL_CPUS || capture_trace(run->capture, run->cpu, &error))
        return true;
    error_print(&error);
    return false;
}

bool export_begin(struct calls_run *run, const char *command, struct export_options *options)
{
    struct error error = {0};
    struct capture *capture = open_capture(options->capture);
    *run = (struct calls_run){.capture = capture,
                              .cpu = options->cpu == ARGUMENT_NOT_GIVEN ? CALLS_ALL_CPUS : options->cpu,
                              .process = options->process,
                              .threads = (unsigned)options->threads,
                              .progress = work_bar_wanted() ? work_bar_show : NULL,
                              .progress_context = &options->bar};
    if (!capture || !has_cpu(run) || !process_word_parse(&run->cr3, command, options->process))
        return false;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (run->cpu == CALLS_ALL_CPUS || run->cpu == cpu)
            capture_check_trace(capture, cpu, 0, UINT64_MAX);
    if (!calls_clock_read(&run->clock, capture, &error)) {
        error_print(&error);
        return false;
    }
    run->names = open_names(capture, &options->names);
    work_bar_start(&options->bar, "decoding");
    return run->names && find_window(run, options) && begins_in_trace(run, command, run->window.from, options->time);
}

bool export_until(struct calls_run *run, const char *command, const char *word)
{
    const struct time_word_clock words = {run->clock.zero, khz_of(&run->clock), run->clock.by_branches};
    uint64_t at = 0;
    if (!time_word_parse(&at, &words, word, strlen(word))) {
        message_print("%s: --time: '%s' is not a time in seconds (1.5) or in ticks since the first TSC (1000t)",
                      command, word);
        return false;
    }
    run->window = (struct times_window){.to = at + 1};
    return begins_in_trace(run, command, at, word);
}

int export_end(struct calls_run *run)
{
    char text[PRECISION_TEXT_SIZE];
    const char *line;
    for (size_t i = 0; (line = names_about(run->names, i)); i++)
        message_print("%s", line);
    const struct precision precision = precision_of(run->capture);
    if (!run->clock.by_branches && precision_text(text, &precision, run->clock.khz)[0])
        message_print("times: %s; pt.mtc= and pt.cyc= make them finer", text);
    return export_missing(run);
}

int export_missing(const struct calls_run *run)
{
    const bool damaged = damages_print(run->capture);
    char number[COUNTED_TEXT_SIZE];
    if (run->decode_gaps)
        message_print("%s: %s could not be decoded; undertrace report lists the causes", run->capture->directory,
                      counted_text(number, run->decode_gaps, "place", "places"));
    if (run->process && !run->process_ran) {
        message_print("--process %s: no such process ran; undertrace report lists the processes", run->process);
        return 1;
    }
    return damaged || run->decode_gaps ? 2 : 0;
}

void export_close(struct calls_run *run)
{
    if (run->names)
        names_close(run->names);
    if (run->capture)
        capture_close(run->capture);
}

uint64_t export_shortest(const struct calls_run *run, const struct export_options *options)
{
    return options->shortest > 0 && !run->clock.by_branches
               ? (uint64_t)(options->shortest * 1000 * (double)khz_of(&run->clock))
               : 1;
}
