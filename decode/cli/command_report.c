/* undertrace report: one pass over a capture, for people and as summary.json. */
#include <stdio.h>
#include <string.h>

#include "decode/capture/capture_check.h"
#include "decode/check/truth_align.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/open_capture.h"
#include "decode/cli/output.h"
#include "decode/report/summary.h"

static const char usage[] =
    "usage: undertrace report CAPTURE [options]\n"
    "\n"
    "Decodes a capture and prints what it holds: all CPUs together, and where there are several, each of them and one\n"
    "time line of all.\n"
    "\n"
    "  --truth FILE        compare with the emulator's truth file\n"
    "  --json FILE         write the figures to FILE (summary.json); what is not known is null\n"
    "  --symbols FILE      names for addresses: System.map or a copy of /proc/kallsyms\n"
    "  --threads N         with N threads (default: one a processor)\n"
    "  --guest NAME, --image-bytes N, --seconds-build S, --seconds-boot S\n"
    "                      figures that the caller knows\n"
    "\n"
    "Exit status: 0 the trace is complete and undamaged, all of it was decoded, and none of it differs from the "
    "truth;\n"
    "1 an error; 2 something is missing or differs, as the report says, or the capture is damaged.\n";

struct arguments {
    const char *capture, *truth, *json, *symbols, *guest;
    uint64_t threads, image_bytes;
};

static int parse_arguments(struct arguments *a, struct summary *summary, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_THREADS(&a->threads),
                                       {"truth", ARGUMENT_TEXT, &a->truth, 0},
                                       {"json", ARGUMENT_TEXT, &a->json, 0},
                                       {"symbols", ARGUMENT_TEXT, &a->symbols, 0},
                                       {"guest", ARGUMENT_TEXT, &a->guest, 0},
                                       {"image-bytes", ARGUMENT_NUMBER, &a->image_bytes, UINT64_MAX - 1},
                                       {"seconds-build", ARGUMENT_SECONDS, &summary->seconds_build, 0},
                                       {"seconds-boot", ARGUMENT_SECONDS, &summary->seconds_boot, 0}};
    const struct syntax syntax = {"report", usage, options, sizeof(options) / sizeof(options[0]), 1};
    *a = (struct arguments){.image_bytes = ARGUMENT_NOT_GIVEN};
    int status = arguments_parse(&syntax, argc, argv, &a->capture);
    summary->image_bytes = (struct figure){a->image_bytes != ARGUMENT_NOT_GIVEN, a->image_bytes};
    return status;
}

static bool compare_truth(struct summary *summary, const struct flow_run *run, const char *file, uint16_t cpu)
{
    struct truth_cpu truth;
    struct truth_comparison comparison;
    struct error error = {0};
    if (!truth_read(&truth, file, cpu, &error)) {
        error_say(&error);
        return false;
    }
    struct truth_aligned aligned;
    bool good = truth_align(&aligned, &truth, run->results, run->nr_results, &run->gaps, &error);
    if (good) {
        truth_compare(&comparison, &truth, aligned.results, aligned.nr_results, &aligned.gaps);
        comparison.extra_stretches += aligned.nr_unplaced;
        truth_aligned_free(&aligned);
        summary_take_truth(summary, cpu, &truth, &comparison);
    } else {
        error_say(&error);
    }
    truth_free(&truth);
    return good;
}

static bool take_cpu(struct summary *summary, struct hot *targets, const struct capture *capture, uint16_t cpu,
                     const struct arguments *a)
{
    struct flow_run run;
    struct flow_run_options options = {
        .cpu = cpu, .threads = (unsigned)a->threads, .count_targets = true, .hashed = a->truth != NULL};
    bool good = run_flow(&run, capture, &options);
    if (good) {
        summary_take_run(summary, cpu, &run);
        hot_merge(targets, &run.targets);
        say_flow_errors(&run, capture, cpu);
        good = !a->truth || compare_truth(summary, &run, a->truth, cpu);
    }
    flow_run_free(&run);
    return good;
}

static bool take_cpus(struct summary *summary, const struct capture *capture, const struct arguments *a)
{
    struct hot targets = {0};
    bool good = true;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (capture->cpus[cpu].present)
            good = take_cpu(summary, &targets, capture, (uint16_t)cpu, a) && good;
    summary_add_up(summary);
    summary->nr_hottest = hot_top(&targets, summary->hottest, SUMMARY_HOTTEST);
    hot_free(&targets);
    return good;
}

static bool write_json(const struct summary *summary, const struct arguments *a)
{
    FILE *file = output_open(a->json, a->capture);
    if (!file)
        return false;
    summary_json(file, summary);
    return output_close(file, a->json);
}

/* All of it. Returns whether it could be done. */
static bool report_capture(struct summary *summary, const struct capture *capture, const struct arguments *a,
                           const struct symbols *symbols)
{
    if (a->guest)
        summary->guest = strdup(a->guest);
    if (!summary_take_capture(summary, capture)) {
        message_say("%s: out of memory for %u CPUs", a->capture, capture->nr_cpus);
        return false;
    }
    bool good = take_cpus(summary, capture, a);
    summary_print(stdout, summary, symbols);
    return (!a->json || write_json(summary, a)) && good;
}

int command_report(int argc, char **argv)
{
    struct arguments a;
    struct symbols symbols = {0};
    struct summary summary = {.seconds_build = -1, .seconds_boot = -1, .seconds_decode = -1};
    int status = parse_arguments(&a, &summary, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    struct error error = {0};
    if (a.symbols && !symbols_read(&symbols, a.symbols, &error)) {
        error_say(&error);
        return 1;
    }
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        capture_check_trace(capture, cpu, 0, UINT64_MAX);
    bool damaged = say_damages(capture);
    bool good = report_capture(&summary, capture, &a, a.symbols ? &symbols : NULL);
    capture_close(capture);
    symbols_free(&symbols);
    const struct truth_comparison *truth = &summary.total.truth;
    const bool whole = summary.total.complete && !truth->first.found && truth->extra_stretches == 0;
    summary_free(&summary);
    return !good ? 1 : damaged || !whole ? 2 : 0;
}
