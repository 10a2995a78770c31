/* undertrace verify: compare decoded branches with those of the emulated CPU. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/capture/capture_check.h"
#include "decode/check/branch_check.h"
#include "decode/check/branch_parts.h"
#include "decode/check/truth_align.h"
#include "decode/check/truth_file.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/run_flow.h"
#include "decode/flow/flow_run.h"
#include "decode/report/difference.h"
#include "decode/report/json.h"
#include "decode/report/verified.h"

static const char usage[] =
    "usage: undertrace verify CAPTURE TRUTH [options]\n"
    "\n"
    "Decodes a capture that was made in the emulator, and compares it with the emulator's truth file, from\n"
    "PSB to PSB.\n"
    "\n"
    "  --cpu N             only this CPU (default: all)\n"
    "  --threads N         use N threads (default: one for each processor)\n"
    "  --branches-truth FILE\n"
    "                      also compare with this list of all branches (for CPU N > 0: FILE.cpuN)\n"
    "  --json FILE         write the result to FILE\n"
    "\n"
    "Exit status: 0 everything decoded is equal; 1 something differs, or an error; 2 everything is equal,\n"
    "but the capture is damaged.\n";

struct arguments {
    const char *capture, *truth, *branches, *json;
    uint64_t cpu; /* ARGUMENT_NOT_GIVEN: all */
    uint64_t threads;
};

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_CPU(&a->cpu),
                                       ARGUMENT_THREADS(&a->threads),
                                       {"branches-truth", ARGUMENT_TEXT, &a->branches, 0},
                                       {"json", ARGUMENT_TEXT, &a->json, 0}};
    const struct syntax syntax = {"verify", usage, options, sizeof(options) / sizeof(options[0]), 2, 0};
    const char *words[2];
    *a = (struct arguments){.cpu = ARGUMENT_NOT_GIVEN};
    int status = arguments_parse(&syntax, argc, argv, words);
    if (status == ARGUMENTS_GOOD) {
        a->capture = words[0];
        a->truth = words[1];
    }
    return status;
}

static bool write_json(const struct arguments *a, const struct verified *sum, const struct verified *cpus,
                       unsigned first, unsigned count)
{
    FILE *file = output_open(a->json, a->capture);
    if (!file)
        return false;
    fputs("{", file);
    verified_json(file, sum);
    fputs(", \"cpus\": [", file);
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ", {" : "{", file);
        json_figure(file, "cpu", figure_of(first + i), ", ");
        verified_json(file, &cpus[i]);
        fputs("}", file);
    }
    fputs("]}\n", file);
    return output_close(file, a->json);
}

/* A list of all branches, and what is compared with it. */
struct listed {
    struct branch_check *check; /* NULL: there is no list */
    bool gaps; /* then branches are stored, and compared stretch by stretch; otherwise as they are decoded */
    struct branch_list branches;
};

static void take_listed(void *context, const struct flow_batch *batch)
{
    struct listed *listed = context;
    for (size_t i = 0; batch->kind == FLOW_BATCH_ITEMS && i < batch->count; i++) {
        const struct flow_branch *branch = &batch->items[i].branch;
        if (listed->gaps)
            branch_list_take(&listed->branches, branch->from, branch->to);
        else
            branch_check_take(listed->check, branch->from, branch->to);
    }
}

/* Compare each stretch with the list. false: a message says why it failed. */
static bool compare_parts(struct verified *v, const struct flow_run *run, const struct truth_cpu *truth,
                          const struct listed *listed, const struct truth_aligned *aligned)
{
    struct branch_parts parts;
    struct error error = {0};
    if (!branch_parts_compare(&parts, truth, listed->check, &listed->branches, run->results, run->nr_results, aligned,
                              &error)) {
        error_print(&error);
        return false;
    }
    v->listed = parts.stretches;
    v->listed_branches = parts.branches;
    v->unplaced_parts = 0;
    v->equal = v->equal && !parts.differs;
    branch_parts_print(stdout, &parts);
    return true;
}

/* Compare the decoded branches. false: a message says why it failed. */
static bool compare_run(struct verified *v, const struct flow_run *run, const struct truth_cpu *truth,
                        const struct listed *listed)
{
    struct truth_aligned aligned;
    struct error error = {0};
    if (!truth_align(&aligned, truth, run->results, run->nr_results, &run->gaps, &error)) {
        error_print(&error);
        return false;
    }
    truth_compare(&v->comparison, truth, aligned.results, aligned.nr_results, &aligned.gaps);
    v->comparison.extra_stretches += aligned.nr_unplaced;
    v->unplaced_parts = aligned.nr_unplaced_parts;
    v->taken = (struct figure){truth->ended, truth->end.non_root_instructions};
    v->truth_ended = truth->ended;
    v->branches = run->branches;
    v->instructions = run->instructions;
    v->errors = run->decode_gaps.count;
    v->overflows = run->overflows;
    v->seconds = run->seconds;
    v->equal = !v->comparison.first.found && v->comparison.extra_stretches == 0;
    bool good = !listed->gaps || compare_parts(v, run, truth, listed, &aligned);
    truth_aligned_free(&aligned);
    return good;
}

static bool has_gaps(const struct capture *capture, unsigned cpu)
{
    size_t position = 0;
    return capture_next(capture, &position, RECORD_GAP, (uint16_t)cpu) != NULL;
}

static bool verify_decoded(struct verified *v, const struct capture *capture, const struct arguments *a, unsigned cpu,
                           const struct truth_cpu *truth, struct branch_check *check)
{
    struct flow_run run = {0};
    struct listed listed = {.check = check, .gaps = check && has_gaps(capture, cpu)};
    struct flow_run_options options = {
        .cpu = (uint16_t)cpu,
        .threads = (unsigned)a->threads,
        .needs = FLOW_NEED_HASH | (check ? FLOW_NEED_BRANCHES : 0),
    };
    /* A CPU without a trace has executed nothing, unless its trace was lost: the comparison shows which. */
    bool good = !capture->cpus[cpu].present || run_flow_each(&run, capture, &options, take_listed, &listed);
    good = good && compare_run(v, &run, truth, &listed);
    if (good) {
        verified_print(stdout, v);
        flow_errors_print(&run, capture, options.cpu);
    }
    if (good && check && !listed.gaps) {
        branch_difference_print(stdout, check);
        v->equal = branch_check_equal(check) && v->equal;
    }
    branch_list_free(&listed.branches);
    flow_run_free(&run);
    return good;
}

/* Verify one CPU. false: a message says why it failed. */
static bool verify_cpu(struct verified *v, const struct capture *capture, const struct arguments *a, unsigned cpu)
{
    struct truth_cpu truth = {0};
    struct branch_check check = {0};
    struct error error = {0};
    char list[4096];
    bool good = truth_read(&truth, a->truth, (uint16_t)cpu, &error);
    if (good && a->branches) {
        snprintf(list, sizeof(list), cpu ? "%s.cpu%u" : "%s", a->branches, cpu);
        good = branch_check_open(&check, list, &error);
    }
    if (!good)
        error_print(&error);
    else
        good = verify_decoded(v, capture, a, cpu, &truth, a->branches ? &check : NULL);
    branch_check_close(&check);
    truth_free(&truth);
    return good;
}

/* Verify count CPUs from first on. Returns whether all could be compared, and are equal. */
static bool verify_cpus(const struct capture *capture, const struct arguments *a, unsigned first, unsigned count)
{
    struct verified sum = {.taken.known = true, .truth_ended = true, .equal = true};
    struct verified *cpus = calloc(count + 1, sizeof(*cpus));
    bool good = cpus != NULL;
    for (unsigned i = 0; i < count && cpus; i++) {
        if (count > 1)
            printf("%sCPU %u\n", i ? "\n" : "", first + i);
        good = verify_cpu(&cpus[i], capture, a, first + i) && good;
        verified_add(&sum, &cpus[i]);
    }
    if (count > 1 && good) {
        puts("\nAll CPUs");
        verified_print(stdout, &sum);
    }
    if (good && a->json)
        good = write_json(a, &sum, cpus, first, count);
    free(cpus);
    return good && sum.equal;
}

/* Number of CPUs in the capture or in the truth file. A CPU that only the truth has must have executed nothing as a
 * guest. */
static unsigned count_cpus(const struct capture *capture, const char *truth_file)
{
    struct truth_cpu truth;
    struct error error = {0};
    unsigned cpus = capture->nr_cpus ? capture->nr_cpus : 1;
    if (truth_read(&truth, truth_file, 0, &error)) {
        if (truth.nr_cpus > cpus && truth.nr_cpus <= CAPTURE_MAX_CPUS)
            cpus = truth.nr_cpus;
        truth_free(&truth);
    }
    return cpus;
}

int command_verify(int argc, char **argv)
{
    struct arguments a;
    struct error error = {0};
    int status = parse_arguments(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    bool all = a.cpu == ARGUMENT_NOT_GIVEN, good = true;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (all || cpu == a.cpu)
            capture_check_trace(capture, cpu, 0, UINT64_MAX);
    bool damaged = damages_print(capture);
    if (!all && !capture_trace(capture, a.cpu, &error)) {
        error_print(&error);
        good = false;
    } else if (!all) {
        good = verify_cpus(capture, &a, (unsigned)a.cpu, 1);
    } else {
        good = verify_cpus(capture, &a, 0, count_cpus(capture, a.truth));
    }
    capture_close(capture);
    return !good ? 1 : damaged ? 2 : 0;
}
