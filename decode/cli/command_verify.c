/* undertrace verify: is what was decoded what the emulated CPU did? */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/check/branch_check.h"
#include "decode/check/truth_align.h"
#include "decode/check/truth_file.h"
#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/number.h"
#include "decode/cli/open_capture.h"
#include "decode/flow/flow_run.h"
#include "decode/report/difference.h"
#include "decode/report/json.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace verify CAPTURE TRUTH [options]\n"
    "\n"
    "Decodes a capture that was made in the emulator and compares it, PSB by PSB, with the truth file.\n"
    "\n"
    "  --cpu N                 of this CPU (default 0)\n"
    "  --threads N             with N threads (default: one a processor)\n"
    "  --branches-truth FILE   compare with this list of all branches too (one thread)\n"
    "  --json FILE             write the result to FILE\n"
    "\n"
    "Exit status: 0 all is equal, 1 something differs or could not be done.\n";

struct arguments {
    const char *capture, *truth, *branches, *json;
    uint64_t cpu, threads;
};

static bool parse_arguments(struct arguments *a, int argc, char **argv)
{
    static const struct option options[] = {
        {"cpu", 1, NULL, 'c'},  {"threads", 1, NULL, 't'}, {"branches-truth", 1, NULL, 'b'},
        {"json", 1, NULL, 'j'}, {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
    *a = (struct arguments){0};
    int option;
    bool good = true;
    while (good && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            good = number_parse(&a->cpu, "--cpu", optarg, CAPTURE_MAX_CPUS - 1);
            break;
        case 't':
            good = number_parse(&a->threads, "--threads", optarg, 64);
            break;
        case 'b':
            a->branches = optarg;
            break;
        case 'j':
            a->json = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            good = false;
        }
    }
    if (good && optind != argc - 2) {
        fputs(usage, stderr);
        return false;
    }
    a->capture = argv[optind];
    a->truth = good ? argv[optind + 1] : NULL;
    return good;
}

static bool write_json(const char *name, const struct truth_comparison *c, const struct truth_cpu *truth,
                       const struct flow_run *run)
{
    FILE *file = fopen(name, "w");
    if (!file) {
        message_errno("%s", name);
        return false;
    }
    struct figure taken = {truth->ended, truth->end.non_root_instructions};
    fputs("{", file);
    json_figure(file, "branches", figure_of(c->branches), ", ");
    json_figure(file, "matched", figure_of(c->matched), ", ");
    json_figure(file, "intervals", figure_of(c->intervals), ", ");
    json_figure(file, "equal_intervals", figure_of(c->equal_intervals), ", ");
    json_figure(file, "in_gaps", figure_of(c->in_gaps), ", ");
    json_figure(file, "branches_in_gaps", figure_of(c->branches_in_gaps), ", ");
    json_figure(file, "decoded_branches", figure_of(run->branches), ", ");
    json_figure(file, "decoded_instructions", figure_of(run->instructions), ", ");
    json_figure(file, "instructions", taken, ", ");
    json_figure(file, "decode_errors", figure_of(run->errors), ", ");
    json_figure(file, "overflows", figure_of(run->overflows), ", ");
    fputs("\"first_divergence\": ", file);
    difference_json(file, &c->first);
    fputs("}\n", file);
    if (fclose(file) == 0)
        return true;
    message_errno("%s", name);
    return false;
}

static void print_comparison(const struct truth_comparison *c, const struct truth_cpu *truth,
                             const struct flow_run *run)
{
    char matched[COUNT_TEXT_SIZE], branches[COUNT_TEXT_SIZE];
    uint64_t compared = c->branches - c->branches_in_gaps;
    printf("branches matched   %s of %s (%.3f %%)\n", count_text(matched, c->matched), count_text(branches, compared),
           compared ? 100.0 * (double)c->matched / (double)compared : 100.0);
    printf("intervals equal    %s of %s\n", count_text(matched, c->equal_intervals),
           count_text(branches, c->intervals - c->in_gaps));
    if (c->in_gaps)
        printf("in gaps            %s branches in %" PRIu64 " intervals, not compared\n",
               count_text(matched, c->branches_in_gaps), c->in_gaps);
    printf("branches decoded   %s\n", count_text(matched, run->branches));
    printf("instructions       %s decoded", count_text(matched, run->instructions));
    if (truth->ended)
        printf(", %s retired", count_text(branches, truth->end.non_root_instructions));
    printf("\nseconds            %.2f\n", run->seconds);
    if (!truth->ended)
        puts("the truth file has no end: the emulator was stopped");
    if (c->extra_stretches)
        printf("%" PRIu64 " decoded stretches begin or end where the emulated CPU wrote no PSB\n", c->extra_stretches);
    if (c->first.found)
        difference_print(stdout, &c->first);
}

static bool verify_cpu(const struct capture *capture, const struct arguments *a, const struct truth_cpu *truth,
                       struct branch_check *check)
{
    struct flow_run run;
    struct truth_aligned aligned;
    struct truth_comparison comparison;
    struct error error = {0};
    struct flow_run_options options = {
        .cpu = (uint16_t)a->cpu,
        .threads = (unsigned)a->threads,
        .hooks = {.branch = check ? branch_check_take : NULL, .context = check},
    };
    bool good = run_flow(&run, capture, &options);
    if (good && check && run.gaps.count) {
        message_say("verify: the capture has gaps; --branches-truth compares whole traces only");
        good = false;
    }
    if (good && !truth_align(&aligned, truth, run.results, run.nr_results, &run.gaps, &error)) {
        error_say(&error);
        good = false;
    }
    if (good) {
        truth_compare(&comparison, truth, aligned.results, aligned.nr_results, &aligned.gaps);
        comparison.extra_stretches += aligned.nr_unplaced;
        truth_aligned_free(&aligned);
        print_comparison(&comparison, truth, &run);
        say_flow_errors(&run, capture, options.cpu);
        good = !comparison.first.found && comparison.extra_stretches == 0;
        if (check)
            branch_difference_print(stdout, check);
        good = (!check || branch_check_equal(check)) && good;
        good = (!a->json || write_json(a->json, &comparison, truth, &run)) && good;
    }
    flow_run_free(&run);
    return good;
}

int command_verify(int argc, char **argv)
{
    struct arguments a;
    struct truth_cpu truth;
    struct branch_check check = {0};
    if (!parse_arguments(&a, argc, argv))
        return 1;
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    struct error error = {0};
    bool good = truth_read(&truth, a.truth, (uint16_t)a.cpu, &error);
    if (good && a.branches)
        good = branch_check_open(&check, a.branches, &error);
    if (!good)
        error_say(&error);
    else
        good = verify_cpu(capture, &a, &truth, a.branches ? &check : NULL);
    branch_check_close(&check);
    truth_free(&truth);
    capture_close(capture);
    return good ? 0 : 1;
}
