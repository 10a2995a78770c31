#include "decode/cli/text/measure_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/flow/precision.h"
#include "decode/report/number_text.h"

const char *nanoseconds_text(char text[SPAN_TEXT_SIZE], uint64_t nanoseconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)nanoseconds;
    size_t unit = 0;
    while (value >= 999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, SPAN_TEXT_SIZE, "%.*f %s", decimals, value, units[unit]);
    return text;
}

const char *span_text(char text[SPAN_TEXT_SIZE], const struct measure *measure, uint64_t nanoseconds)
{
    char number[COUNT_TEXT_SIZE];
    if (!measure->run->clock.by_branches)
        return nanoseconds_text(text, nanoseconds);
    snprintf(text, SPAN_TEXT_SIZE, "%s br", count_text(number, nanoseconds));
    return text;
}

const char *ticks_text(char text[SPAN_TEXT_SIZE], const struct measure *measure, uint64_t ticks)
{
    return span_text(text, measure, measure_length(measure, ticks));
}

const char *moment_text(char text[SPAN_TEXT_SIZE], const struct measure *measure, uint64_t tsc)
{
    const uint64_t at = calls_nanoseconds(&measure->run->clock, tsc);
    if (measure->run->clock.by_branches)
        snprintf(text, SPAN_TEXT_SIZE, "%" PRIu64, at);
    else
        snprintf(text, SPAN_TEXT_SIZE, "%" PRIu64 ".%09" PRIu64, at / 1000000000, at % 1000000000);
    return text;
}

const char *function_text(char text[FUNCTION_TEXT_SIZE], const struct name *name)
{
    const bool is_kernel = name->object && !strcmp(name->object, "vmlinux");
    if (name->symbol && (is_kernel || !name->object))
        snprintf(text, FUNCTION_TEXT_SIZE, "%s", name->shown);
    else if (name->symbol)
        snprintf(text, FUNCTION_TEXT_SIZE, "%.160s [%.80s]", name->shown, name->object);
    else
        snprintf(text, FUNCTION_TEXT_SIZE, "%#" PRIx64 "%s%.80s%s", name->begin, name->object ? " [" : "",
                 name->object ? name->object : "", name->object ? "]" : "");
    return text;
}

void measured_print_sums(const struct measure *measure, const struct measured *measured)
{
    const struct distribution *times = &measured->times;
    char text[SPAN_TEXT_SIZE];
    if (times->count) {
        printf("  elapsed %s, ", ticks_text(text, measure, measured->elapsed));
        printf("p50 %s, ", span_text(text, measure, distribution_percentile(times, 500)));
        printf("p90 %s, ", span_text(text, measure, distribution_percentile(times, 900)));
        printf("p99 %s, ", span_text(text, measure, distribution_percentile(times, 990)));
        printf("longest %s\n", span_text(text, measure, times->most));
    }
    printf("  on a CPU %s\n", ticks_text(text, measure, measured->running));
}

/* Columns: 2 + 36 + 11 + 5 * 10. */
void measured_print_head(const char *title, bool waits)
{
    printf("%-38s %10s %9s %9s %9s %9s %9s\n", title, "number", waits ? "in all" : "on a CPU", "p50", "p90", "p99",
           "longest");
}

void measured_print(const struct measure *measure, const char *label, const struct measured *measured, bool waits)
{
    const struct distribution *times = &measured->times;
    const uint64_t spans[] = {distribution_percentile(times, 500), distribution_percentile(times, 900),
                              distribution_percentile(times, 990), times->most};
    char text[SPAN_TEXT_SIZE], count[COUNT_TEXT_SIZE];
    printf("  %-36.36s %10s %9s", label, count_text(count, measured->begun),
           ticks_text(text, measure, waits ? measured->elapsed : measured->running));
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
        printf(" %9s", times->count ? span_text(text, measure, spans[i]) : "-");
    putchar('\n');
}

#define BAR "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
#define BAR_WIDTH ((int)(sizeof(BAR) - 1))

static uint64_t octave_begin(unsigned bit)
{
    return bit == 0 ? 0 : 1ull << bit;
}

void measured_print_histogram(const struct measure *measure, const struct measured *measured)
{
    unsigned first = 63, last = 0;
    uint64_t most = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t count = distribution_octave(&measured->times, bit);
        if (count == 0)
            continue;
        first = bit < first ? bit : first;
        last = bit;
        most = count > most ? count : most;
    }
    for (unsigned bit = first; bit <= last && bit < 63; bit++) {
        const uint64_t count = distribution_octave(&measured->times, bit);
        char begin[SPAN_TEXT_SIZE], end[SPAN_TEXT_SIZE], number[COUNT_TEXT_SIZE];
        const int width = (int)((double)count / (double)most * BAR_WIDTH + 0.5);
        printf("  %9s to below %-9s %11s |%-*.*s|\n", span_text(begin, measure, octave_begin(bit)),
               span_text(end, measure, 2ull << bit), count_text(number, count), BAR_WIDTH, width, BAR);
    }
}

/* What ran, as text. */
static const char *task_text(char text[64], const struct slow_call *call)
{
    if (call->process)
        snprintf(text, 64, "%s", call->process);
    else if (call->space == FLOW_CR3_UNKNOWN)
        snprintf(text, 64, "kernel task %u", call->task);
    else
        snprintf(text, 64, "CR3 %#" PRIx64, call->space);
    return text;
}

void measured_print_slowest(const struct measure *measure, const struct measured *measured)
{
    const struct slowest *slowest = &measured->slowest;
    if (slowest->count)
        printf("  %18s %9s %9s %4s  task\n", "the slowest, at s", "elapsed", "on a CPU", "CPU");
    for (size_t i = 0; i < slowest->count; i++) {
        const struct slow_call *call = &slowest->items[i];
        char at[SPAN_TEXT_SIZE], elapsed[SPAN_TEXT_SIZE], running[SPAN_TEXT_SIZE], task[64];
        printf("  %18s %9s %9s %4u  %s\n", moment_text(at, measure, call->begin),
               ticks_text(elapsed, measure, call->elapsed), ticks_text(running, measure, call->running), call->cpu,
               task_text(task, call));
    }
}

void measure_print_precision(const struct measure *measure)
{
    const struct calls_clock *clock = &measure->run->clock;
    const struct precision precision = precision_of(measure->run->capture);
    char text[PRECISION_TEXT_SIZE];
    if (clock->by_branches)
        puts("\nTimes are numbers of branches: the trace has no TSC.");
    else if (precision_text(text, &precision, clock->khz)[0])
        printf("\nTimes: %s\n", text);
}
