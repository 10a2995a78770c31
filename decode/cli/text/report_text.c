#include "decode/cli/text/report_text.h"

#include <stdio.h>
#include <string.h>

#include "decode/calls/calls_run.h"
#include "decode/capture/capture_check.h"
#include "decode/capture/text.h"
#include "decode/check/truth_align.h"
#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/report_profile.h"
#include "decode/cli/text/run_flow.h"
#include "decode/report/profile_report.h"

/* is_off: tracing was off, so that nothing had to be decoded. */
static bool compare_truth(struct summary *summary, const struct flow_run *run, const char *file, uint16_t cpu,
                          bool is_off)
{
    struct truth_cpu truth;
    struct truth_comparison comparison;
    struct error error = {0};
    if (!truth_read(&truth, file, cpu, &error)) {
        error_print(&error);
        return false;
    }
    struct truth_aligned aligned;
    bool good = truth_align(&aligned, &truth, run->results, run->nr_results, &run->gaps, &error);
    if (good) {
        truth_compare(&comparison, &truth, aligned.results, aligned.nr_results, &aligned.gaps);
        if (is_off)
            comparison = (struct truth_comparison){.branches = comparison.branches};
        comparison.extra_stretches += aligned.nr_unplaced;
        truth_aligned_free(&aligned);
        summary_take_truth(summary, cpu, &truth, &comparison);
    } else {
        error_print(&error);
    }
    truth_free(&truth);
    return good;
}

/* Use the run that was decoded separately; it is moved out of shards. */
static bool take_shards(struct flow_run *run, struct shards *shards, const struct capture *capture, uint16_t cpu)
{
    struct error error = {0};
    *run = shards->cpus[cpu].run;
    shards->cpus[cpu].run = (struct flow_run){0};
    if (gaps_collect(&run->gaps, capture, cpu, &error))
        return true;
    error_print(&error);
    return false;
}

/* The hypervisor had no Intel PT to use, or it was switched off (pt=off): no bit of IA32_RTIT_CTL was ever to be set.
 */
static bool tracing_is_off(const struct capture *capture)
{
    uint64_t control;
    return text_find_number(&control, capture->hello, "rtit_ctl") && control == 0;
}

/* What each CPU's run is taken into. */
struct taker {
    struct summary *summary;
    const struct capture *capture;
    const struct report_options *options;
    bool any, good;
};

static void take_run(void *context, uint16_t cpu, const struct flow_run *run)
{
    struct taker *taker = context;
    const char *truth = taker->options->truth;
    taker->any = true;
    summary_take_run(taker->summary, cpu, run);
    if (!summary_take_blackouts(taker->summary, taker->capture, cpu, run)) {
        message_print("%s: out of memory for the blackouts of CPU %u", taker->capture->directory, cpu);
        taker->good = false;
    }
    flow_errors_print(run, taker->capture, cpu);
    if (truth && !compare_truth(taker->summary, run, truth, cpu, tracing_is_off(taker->capture)))
        taker->good = false;
}

static unsigned needs_of(const struct report_options *a)
{
    return a->truth ? FLOW_NEED_HASH : 0;
}

static void take_cpu(struct taker *taker, struct hot *targets, uint16_t cpu)
{
    struct flow_run run;
    const struct report_options *a = taker->options;
    struct flow_run_options options = {
        .cpu = cpu, .threads = (unsigned)a->threads, .count_targets = !a->named, .needs = needs_of(a)};
    if (a->shards ? take_shards(&run, a->shards, taker->capture, cpu) : run_flow(&run, taker->capture, &options)) {
        take_run(taker, cpu, &run);
        hot_merge(targets, &run.targets);
    } else {
        taker->good = false;
    }
    flow_run_free(&run);
}

static void take_cpus(struct taker *taker)
{
    struct summary *summary = taker->summary;
    struct hot targets = {0};
    for (unsigned cpu = 0; cpu < taker->capture->nr_cpus; cpu++)
        if (taker->capture->cpus[cpu].present)
            take_cpu(taker, &targets, (uint16_t)cpu);
    summary->nr_hottest = hot_top(&targets, summary->hottest, SUMMARY_HOTTEST);
    hot_free(&targets);
}

/* One pass decodes for the summary and the profile, unless the summary is that of shards. NULL: a message says why. */
static struct report_profile *take_named(struct taker *taker, struct capture *capture, struct names_choice *names)
{
    const struct report_decoded decoded = {taker->options->shards ? NULL : take_run, taker, needs_of(taker->options)};
    struct report_profile *profile = report_profile_make(capture, names, (unsigned)taker->options->threads, &decoded);
    if (profile && taker->any)
        taker->summary->seconds_decode = profile->seconds;
    return profile;
}

static bool write_json(const struct summary *summary, const struct report_profile *profile,
                       const struct report_options *a)
{
    FILE *file = output_open(a->json, a->capture);
    if (!file)
        return false;
    fputs("{\n  ", file);
    summary_json(file, summary);
    if (profile) {
        fputs(",\n  ", file);
        profile_json(file, &(struct profile_view){.profile = &profile->profile,
                                                  .khz = profile->khz,
                                                  .origin = profile->profile.first_tsc});
    }
    fputs("\n}\n", file);
    return output_close(file, a->json);
}

static void show(const struct summary *summary, const struct report_profile *profile)
{
    summary_print(stdout, summary);
    if (profile)
        report_profile_show(profile);
    else
        summary_print_hottest(stdout, summary);
}

/* Decode all CPUs. Returns whether that succeeded. */
static bool report_capture(struct summary *summary, struct capture *capture, struct report_options *a)
{
    if (a->guest)
        summary->guest = strdup(a->guest);
    if (!summary_take_capture(summary, capture)) {
        message_print("%s: out of memory for %u CPUs", a->capture, capture->nr_cpus);
        return false;
    }
    struct calls_clock clock;
    struct error ignored = {0}; /* decoding reports it */
    summary->blackouts_known = !a->shards && calls_clock_read(&clock, capture, &ignored);
    summary->first_tsc = summary->blackouts_known ? clock.zero : 0;
    struct taker taker = {.summary = summary, .capture = capture, .options = a, .good = true};
    struct report_profile *profile = a->named ? take_named(&taker, capture, &a->names) : NULL;
    taker.good = taker.good && (profile || !a->named);
    if (!taker.any)
        take_cpus(&taker);
    summary_add_up(summary);
    if (!a->json || strcmp(a->json, "-") != 0)
        show(summary, profile);
    taker.good = (!a->json || write_json(summary, profile, a)) && taker.good;
    report_profile_free(profile);
    return taker.good;
}

int report_make(struct summary *summary, struct report_options *a)
{
    struct capture *capture = open_capture(a->capture);
    if (!capture)
        return 1;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        capture_check_trace(capture, cpu, 0, UINT64_MAX);
    bool damaged = damages_print(capture);
    a->named = names_are_there(capture, &a->names); /* else it prints branch targets, which are counted only then */
    bool good = report_capture(summary, capture, a);
    capture_close(capture);
    const struct truth_comparison *truth = &summary->total.truth;
    const bool whole = summary->total.complete && !truth->first.found && truth->extra_stretches == 0;
    summary_free(summary);
    return !good ? 1 : damaged || !whole ? 2 : 0;
}
