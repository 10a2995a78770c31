/* undertrace verify: is what was decoded what the emulated CPU did? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/capture/capture_check.h"
#include "decode/check/branch_check.h"
#include "decode/check/truth_align.h"
#include "decode/check/truth_file.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/open_capture.h"
#include "decode/cli/output.h"
#include "decode/flow/flow_run.h"
#include "decode/report/difference.h"
#include "decode/report/json.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace verify CAPTURE TRUTH [options]\n"
    "\n"
    "Decodes a capture that was made in the emulator and compares it, PSB by PSB, with the truth file.\n"
    "\n"
    "  --cpu N                 this CPU alone (default: each of them)\n"
    "  --threads N             with N threads (default: one a processor)\n"
    "  --branches-truth FILE   compare with this list of all branches too (one thread); of CPU N > 0: FILE.cpuN\n"
    "  --json FILE             write the result to FILE\n"
    "\n"
    "Exit status: 0 all is equal, 1 something differs or could not be done, 2 all is equal but the capture is "
    "damaged.\n";

struct arguments {
    const char *capture, *truth, *branches, *json;
    uint64_t cpu; /* ARGUMENT_NOT_GIVEN: all */
    uint64_t threads;
};

/* What came out, of a CPU or of all. */
struct verified {
    struct truth_comparison comparison;
    struct figure taken; /* instructions that retired */
    uint64_t branches, instructions, errors, overflows;
    double seconds;
    bool truth_ended, equal;
};

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_CPU(&a->cpu),
                                       ARGUMENT_THREADS(&a->threads),
                                       {"branches-truth", ARGUMENT_TEXT, &a->branches, 0},
                                       {"json", ARGUMENT_TEXT, &a->json, 0}};
    const struct syntax syntax = {"verify", usage, options, sizeof(options) / sizeof(options[0]), 2};
    const char *words[2];
    *a = (struct arguments){.cpu = ARGUMENT_NOT_GIVEN};
    int status = arguments_parse(&syntax, argc, argv, words);
    if (status == ARGUMENTS_GOOD) {
        a->capture = words[0];
        a->truth = words[1];
    }
    return status;
}

static void write_figures(FILE *file, const struct verified *v)
{
    const struct truth_comparison *c = &v->comparison;
    json_figure(file, "branches", figure_of(c->branches), ", ");
    json_figure(file, "matched", figure_of(c->matched), ", ");
    json_figure(file, "intervals", figure_of(c->intervals), ", ");
    json_figure(file, "equal_intervals", figure_of(c->equal_intervals), ", ");
    json_figure(file, "in_gaps", figure_of(c->in_gaps), ", ");
    json_figure(file, "branches_in_gaps", figure_of(c->branches_in_gaps), ", ");
    json_figure(file, "decoded_branches", figure_of(v->branches), ", ");
    json_figure(file, "decoded_instructions", figure_of(v->instructions), ", ");
    json_figure(file, "instructions", v->taken, ", ");
    json_figure(file, "decode_errors", figure_of(v->errors), ", ");
    json_figure(file, "overflows", figure_of(v->overflows), ", ");
    fputs("\"first_divergence\": ", file);
    difference_json(file, &c->first);
}

static bool write_json(const struct arguments *a, const struct verified *sum, const struct verified *cpus,
                       unsigned first, unsigned count)
{
    FILE *file = output_open(a->json, a->capture);
    if (!file)
        return false;
    fputs("{", file);
    write_figures(file, sum);
    fputs(", \"cpus\": [", file);
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ", {" : "{", file);
        json_figure(file, "cpu", figure_of(first + i), ", ");
        write_figures(file, &cpus[i]);
        fputs("}", file);
    }
    fputs("]}\n", file);
    return output_close(file, a->json);
}

static void print_verified(const struct verified *v)
{
    const struct truth_comparison *c = &v->comparison;
    char matched[COUNT_TEXT_SIZE], branches[COUNT_TEXT_SIZE];
    uint64_t compared = c->branches - c->branches_in_gaps;
    printf("branches matched   %s of %s (%.3f %%)\n", count_text(matched, c->matched), count_text(branches, compared),
           compared ? 100.0 * (double)c->matched / (double)compared : 100.0);
    printf("intervals equal    %s of %s\n", count_text(matched, c->equal_intervals),
           count_text(branches, c->intervals - c->in_gaps));
    if (c->in_gaps)
        printf("in gaps            %s branches in %" PRIu64 " intervals, not compared\n",
               count_text(matched, c->branches_in_gaps), c->in_gaps);
    printf("branches decoded   %s\n", count_text(matched, v->branches));
    printf("instructions       %s decoded", count_text(matched, v->instructions));
    if (v->taken.known)
        printf(", %s retired", count_text(branches, v->taken.value));
    printf("\nseconds            %.2f\n", v->seconds);
    if (!v->truth_ended)
        puts("the truth file has no end: the emulator was stopped");
    if (c->extra_stretches)
        printf("%" PRIu64 " decoded stretches begin or end where the emulated CPU wrote no PSB\n", c->extra_stretches);
    if (c->first.found)
        difference_print(stdout, &c->first);
}

/* Compare what was decoded. false: said why. */
static bool compare_run(struct verified *v, const struct flow_run *run, const struct truth_cpu *truth)
{
    struct truth_aligned aligned;
    struct error error = {0};
    if (!truth_align(&aligned, truth, run->results, run->nr_results, &run->gaps, &error)) {
        error_say(&error);
        return false;
    }
    truth_compare(&v->comparison, truth, aligned.results, aligned.nr_results, &aligned.gaps);
    v->comparison.extra_stretches += aligned.nr_unplaced;
    truth_aligned_free(&aligned);
    v->taken = (struct figure){truth->ended, truth->end.non_root_instructions};
    v->truth_ended = truth->ended;
    v->branches = run->branches;
    v->instructions = run->instructions;
    v->errors = run->errors;
    v->overflows = run->overflows;
    v->seconds = run->seconds;
    v->equal = !v->comparison.first.found && v->comparison.extra_stretches == 0;
    return true;
}

static bool verify_decoded(struct verified *v, const struct capture *capture, const struct arguments *a, unsigned cpu,
                           const struct truth_cpu *truth, struct branch_check *check)
{
    struct flow_run run = {0};
    struct flow_run_options options = {
        .cpu = (uint16_t)cpu,
        .threads = (unsigned)a->threads,
        .hooks = {.branch = check ? branch_check_take : NULL, .context = check},
    };
    /* A CPU of which nothing came has executed nothing, if all is well. */
    bool good = !capture->cpus[cpu].present || run_flow(&run, capture, &options);
    if (good && check && run.gaps.count) {
        message_say("verify: the trace of CPU %u has gaps; --branches-truth compares whole traces only", cpu);
        good = false;
    }
    good = good && compare_run(v, &run, truth);
    if (good) {
        print_verified(v);
        say_flow_errors(&run, capture, options.cpu);
    }
    if (good && check) {
        branch_difference_print(stdout, check);
        v->equal = branch_check_equal(check) && v->equal;
    }
    flow_run_free(&run);
    return good;
}

/* One CPU. false: it could not be done, said why. */
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
        error_say(&error);
    else
        good = verify_decoded(v, capture, a, cpu, &truth, a->branches ? &check : NULL);
    branch_check_close(&check);
    truth_free(&truth);
    return good;
}

static void add_verified(struct verified *sum, const struct verified *v)
{
    struct truth_comparison *c = &sum->comparison;
    truth_add(c, &v->comparison);
    sum->taken.known = sum->taken.known && v->taken.known;
    sum->taken.value += v->taken.value;
    sum->branches += v->branches;
    sum->instructions += v->instructions;
    sum->errors += v->errors;
    sum->overflows += v->overflows;
    sum->seconds += v->seconds;
    sum->truth_ended = sum->truth_ended && v->truth_ended;
    sum->equal = sum->equal && v->equal;
}

/* CPUs from first on. Returns whether all could be done, and all is equal. */
static bool verify_cpus(const struct capture *capture, const struct arguments *a, unsigned first, unsigned count)
{
    struct verified sum = {.taken.known = true, .truth_ended = true, .equal = true};
    struct verified *cpus = calloc(count + 1, sizeof(*cpus));
    bool good = cpus != NULL;
    for (unsigned i = 0; i < count && cpus; i++) {
        if (count > 1)
            printf("%sCPU %u\n", i ? "\n" : "", first + i);
        good = verify_cpu(&cpus[i], capture, a, first + i) && good;
        add_verified(&sum, &cpus[i]);
    }
    if (count > 1 && good) {
        puts("\nAll CPUs");
        print_verified(&sum);
    }
    if (good && a->json)
        good = write_json(a, &sum, cpus, first, count);
    free(cpus);
    return good && sum.equal;
}

/* CPUs that the truth knows, and the capture does not: they must have executed nothing as a guest. */
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
    bool damaged = say_damages(capture);
    if (!all && !capture_trace(capture, a.cpu, &error)) {
        error_say(&error);
        good = false;
    } else if (!all) {
        good = verify_cpus(capture, &a, (unsigned)a.cpu, 1);
    } else {
        good = verify_cpus(capture, &a, 0, count_cpus(capture, a.truth));
    }
    capture_close(capture);
    return !good ? 1 : damaged ? 2 : 0;
}
