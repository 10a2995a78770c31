/* undertrace report: one pass over a capture, for people and as summary.json. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/check/truth_align.h"
#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/number.h"
#include "decode/cli/open_capture.h"
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
    "Exit status: 0 the trace is complete, all of it was decoded, and none of it differs from the truth;\n"
    "1 an error; 2 the report says what is missing or differs.\n";

struct arguments {
    const char *capture, *truth, *json, *symbols;
    uint64_t threads;
};

static bool parse_seconds(double *seconds, const char *option, const char *word)
{
    char *end;
    *seconds = strtod(word, &end);
    if (end != word && !*end && *seconds >= 0)
        return true;
    message_say("%s %s: is no number of seconds", option, word);
    return false;
}

static bool take_option(struct arguments *a, struct summary *summary, int option)
{
    switch (option) {
    case 't':
        a->truth = optarg;
        return true;
    case 'j':
        a->json = optarg;
        return true;
    case 's':
        a->symbols = optarg;
        return true;
    case 'n':
        return number_parse(&a->threads, "--threads", optarg, 64);
    case 'g':
        free(summary->guest);
        summary->guest = strdup(optarg);
        return true;
    case 'i':
        summary->image_bytes.known = true;
        return number_parse(&summary->image_bytes.value, "--image-bytes", optarg, UINT64_MAX);
    case 'u':
        return parse_seconds(&summary->seconds_build, "--seconds-build", optarg);
    case 'o':
        return parse_seconds(&summary->seconds_boot, "--seconds-boot", optarg);
    case 'h':
        fputs(usage, stdout);
        exit(0);
    default:
        return false;
    }
}

static bool parse_arguments(struct arguments *a, struct summary *summary, int argc, char **argv)
{
    static const struct option options[] = {
        {"truth", 1, NULL, 't'},         {"json", 1, NULL, 'j'},
        {"symbols", 1, NULL, 's'},       {"threads", 1, NULL, 'n'},
        {"guest", 1, NULL, 'g'},         {"image-bytes", 1, NULL, 'i'},
        {"seconds-build", 1, NULL, 'u'}, {"seconds-boot", 1, NULL, 'o'},
        {"help", 0, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (!take_option(a, summary, option))
            return false;
    if (optind != argc - 1) {
        fputs(usage, stderr);
        return false;
    }
    a->capture = argv[optind];
    return true;
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
    struct flow_run_options options = {.cpu = cpu, .threads = (unsigned)a->threads, .count_targets = true};
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

static bool write_json(const struct summary *summary, const char *name)
{
    FILE *file = fopen(name, "w");
    if (file) {
        summary_json(file, summary);
        if (fclose(file) == 0)
            return true;
    }
    message_errno("%s: cannot be written", name);
    return false;
}

int command_report(int argc, char **argv)
{
    struct arguments a = {0};
    struct symbols symbols = {0};
    struct summary summary = {.seconds_build = -1, .seconds_boot = -1, .seconds_decode = -1};
    if (!parse_arguments(&a, &summary, argc, argv))
        return 1;
    struct error error = {0};
    if (a.symbols && !symbols_read(&symbols, a.symbols, &error)) {
        error_say(&error);
        return 1;
    }
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    if (!summary_take_capture(&summary, capture)) {
        message_say("%s: out of memory for %u CPUs", a.capture, capture->nr_cpus);
        return 1;
    }
    bool good = take_cpus(&summary, capture, &a);
    summary_print(stdout, &summary, a.symbols ? &symbols : NULL);
    good = (!a.json || write_json(&summary, a.json)) && good;
    capture_close(capture);
    symbols_free(&symbols);
    const struct truth_comparison *truth = &summary.total.truth;
    const bool whole = summary.total.complete && !truth->first.found && truth->extra_stretches == 0;
    summary_free(&summary);
    return !good ? 1 : whole ? 0 : 2;
}
