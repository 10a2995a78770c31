#include "decode/cli/text/report_text.h"

#include <stdio.h>
#include <string.h>

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

/* Does the report list functions by name? Then it does not print branch targets, and they are not counted. */
static bool is_named(const struct report_options *a)
{
    return a->names.kernel || a->names.symbols || a->names.files.count > 0;
}

/* The hypervisor had no Intel PT to use, or it was switched off (pt=off): no bit of IA32_RTIT_CTL was ever to be set.
 */
static bool tracing_is_off(const struct capture *capture)
{
    uint64_t control;
    return text_find_number(&control, capture->hello, "rtit_ctl") && control == 0;
}

static bool take_cpu(struct summary *summary, struct hot *targets, const struct capture *capture, uint16_t cpu,
                     const struct report_options *a)
{
    struct flow_run run;
    struct flow_run_options options = {.cpu = cpu,
                                       .threads = (unsigned)a->threads,
                                       .count_targets = !is_named(a),
                                       .needs = a->truth ? FLOW_NEED_HASH : 0};
    bool good = a->shards ? take_shards(&run, a->shards, capture, cpu) : run_flow(&run, capture, &options);
    if (good) {
        summary_take_run(summary, cpu, &run);
        hot_merge(targets, &run.targets);
        flow_errors_print(&run, capture, cpu);
        good = !a->truth || compare_truth(summary, &run, a->truth, cpu, tracing_is_off(capture));
    }
    flow_run_free(&run);
    return good;
}

static bool take_cpus(struct summary *summary, const struct capture *capture, const struct report_options *a)
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
        profile_json(file, &profile->profile, profile->khz);
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
    struct report_profile *profile = NULL;
    bool good = take_cpus(summary, capture, a);
    if (is_named(a) && !(profile = report_profile_make(capture, &a->names, (unsigned)a->threads)))
        good = false;
    if (!a->json || strcmp(a->json, "-") != 0)
        show(summary, profile);
    good = (!a->json || write_json(summary, profile, a)) && good;
    report_profile_free(profile);
    return good;
}

int report_make(struct summary *summary, struct report_options *a)
{
    struct capture *capture = open_capture(a->capture);
    if (!capture)
        return 1;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        capture_check_trace(capture, cpu, 0, UINT64_MAX);
    bool damaged = damages_print(capture);
    bool good = report_capture(summary, capture, a);
    capture_close(capture);
    const struct truth_comparison *truth = &summary->total.truth;
    const bool whole = summary->total.complete && !truth->first.found && truth->extra_stretches == 0;
    summary_free(summary);
    return !good ? 1 : damaged || !whole ? 2 : 0;
}
