/* The JSON of what was measured. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/text/measure_text.h"
#include "decode/flow/precision.h"
#include "decode/report/json.h"

static void figure(const char *name, uint64_t value, const char *after)
{
    json_figure(stdout, name, figure_of(value), after);
}

static void histogram_json(const struct distribution *times)
{
    const char *before = "";
    fputs("\"histogram\": [", stdout);
    for (unsigned bit = 0; bit < 63; bit++) {
        const uint64_t count = distribution_octave(times, bit);
        if (count == 0)
            continue;
        printf("%s{", before);
        figure("from", bit ? 1ull << bit : 0, ", ");
        figure("below", 2ull << bit, ", ");
        figure("number", count, "}");
        before = ", ";
    }
    fputs("], ", stdout);
}

static void slowest_json(const struct measure *measure, const struct slowest *slowest)
{
    fputs("\"slowest\": [", stdout);
    for (size_t i = 0; i < slowest->count; i++) {
        const struct slow_call *call = &slowest->items[i];
        fputs(i ? ", {" : "{", stdout);
        figure("at", calls_nanoseconds(&measure->run->clock, call->begin), ", ");
        figure("elapsed", measure_length(measure, call->elapsed), ", ");
        figure("on_cpu", measure_length(measure, call->running), ", ");
        figure("cpu", call->cpu, ", ");
        json_string(stdout, "task", call->process, "}");
    }
    fputs("]", stdout);
}

void measured_json(const struct measure *measure, const struct measured *measured)
{
    const struct distribution *times = &measured->times;
    static const struct {
        const char *name;
        unsigned thousandths;
    } percentiles[] = {{"p50", 500}, {"p90", 900}, {"p99", 990}};
    figure("number", measured->begun, ", ");
    figure("not_finished", measured->unfinished, ", ");
    figure("elapsed", measure_length(measure, measured->elapsed), ", ");
    figure("on_cpu", measure_length(measure, measured->running), ", ");
    figure("on_cpu_ticks", measured->running, ", ");
    json_figure(stdout, "shortest", (struct figure){times->count > 0, times->least}, ", ");
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
        json_figure(stdout, percentiles[i].name,
                    (struct figure){times->count > 0, distribution_percentile(times, percentiles[i].thousandths)},
                    ", ");
    json_figure(stdout, "longest", (struct figure){times->count > 0, times->most}, ", ");
    histogram_json(times);
    slowest_json(measure, &measured->slowest);
}

void function_json(const struct name *name)
{
    json_string(stdout, "symbol", name->shown, ", ");
    json_string(stdout, "object", name->object, ", ");
    printf("\"address\": \"%" PRIx64 "\", ", name->begin);
}

void measure_json(const struct measure *measure)
{
    const struct calls_clock *clock = &measure->run->clock;
    const struct precision precision = precision_of(measure->run->capture);
    const bool known = !clock->by_branches && precision.tenths > 0;
    json_string(stdout, "unit", clock->by_branches ? "branches" : "nanoseconds", ", ");
    fputs("\"precision\": {", stdout);
    json_figure(stdout, "half", (struct figure){known, measure_length(measure, precision.half)}, ", ");
    json_figure(stdout, "nine_tenths", (struct figure){known, measure_length(measure, precision.tenths)}, "}, ");
}
