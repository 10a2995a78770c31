/* undertrace decode: the control flow as a list of branches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/capture_check.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/open_capture.h"
#include "decode/cli/options/decode_options.h"
#include "decode/cli/output.h"
#include "decode/cli/text/decode_text.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/list_text.h"
#include "decode/cli/text/ptxed.h"
#include "decode/flow/flow_merge.h"
#include "decode/flow/flow_run.h"
#include "decode/report/number_text.h"
#include "decode/report/shards.h"

/* Where the lists go; NULL: not wanted. */
struct lists {
    FILE *branches, *instructions, *result;
    struct flow_text text;
};

/* A flow_text's write. */
static void write_list(void *context, enum flow_text_list list, const char *text, size_t size)
{
    const struct lists *lists = context;
    fwrite(text, 1, size, list == FLOW_TEXT_BRANCHES ? lists->branches : lists->instructions);
}

static struct flow_run_options run_options(const struct decode_options *a, uint16_t cpu, struct lists *lists)
{
    lists->text = (struct flow_text){.branches = lists->branches ? list_text_branches : NULL,
                                     .instruction = lists->instructions ? list_text_instruction : NULL,
                                     .write = write_list,
                                     .context = lists};
    return (struct flow_run_options){
        .cpu = cpu,
        .threads = (unsigned)a->threads,
        .part = a->part,
        .nr_parts = a->nr_parts,
        .count_targets = lists->result,
        .sums_only = !lists->result,
        .hashed = lists->result,
        .text = lists->branches || lists->instructions ? &lists->text : NULL,
    };
}

static int decode_cpu(const struct capture *capture, uint16_t cpu, const struct decode_options *a, struct lists *lists)
{
    struct flow_run run;
    struct flow_run_options options = run_options(a, cpu, lists);
    if (!run_flow(&run, capture, &options)) {
        flow_run_free(&run);
        return 1;
    }
    const bool listed = lists->branches == stdout || lists->instructions == stdout || lists->result == stdout;
    int status = print_decoded(listed ? stderr : stdout, capture, cpu, &run);
    if (lists->result)
        shard_write_run(lists->result, capture, cpu, &run);
    flow_run_free(&run);
    return status;
}

static int decode_trace(struct flow_trace *trace, const struct decode_options *a, struct lists *lists)
{
    struct flow_run run;
    struct error error = {0};
    const struct flow_run_options options = run_options(a, 0, lists);
    if (!flow_run_trace(&run, trace, &options, &error)) {
        error_say(&error);
        flow_run_free(&run);
        return 1;
    }
    print_sums(lists->branches == stdout || lists->instructions == stdout ? stderr : stdout, &run);
    say_trace_errors(&run, a->foreign.pt ? a->foreign.pt : a->foreign.perf);
    const int status = run.decode_gaps.count ? 2 : 0;
    flow_run_free(&run);
    return status;
}

/* The given CPU, 0 unless given; of a shard without a list, each unless given. */
static int decode_cpus(const struct capture *capture, const struct decode_options *a, struct lists *lists)
{
    int status = 0;
    if (lists->result)
        shard_write_head(lists->result, capture, a->part, a->nr_parts);
    if (a->foreign.cpu || !lists->result || lists->branches || lists->instructions) {
        status = decode_cpu(capture, (uint16_t)a->cpu, a, lists);
    } else {
        for (unsigned cpu = 0; cpu < capture->nr_cpus && status != 1; cpu++) {
            const int result = capture->cpus[cpu].present ? decode_cpu(capture, (uint16_t)cpu, a, lists) : 0;
            status = result ? result : status;
        }
    }
    if (lists->result && status != 1)
        shard_write_end(lists->result);
    return status;
}

/* NULL name: no list. false: said why. */
static bool open_list(FILE **list, const char *name, const char *capture)
{
    *list = name ? output_open(name, capture) : NULL;
    return !name || *list;
}

static void write_merged_text(void *context, const char *text, size_t size)
{
    fwrite(text, 1, size, context);
}

/* What there was, and what could not be placed. Returns the exit status. */
static int say_merged(FILE *file, const struct capture *capture, const struct flow_merged *merged)
{
    char number[COUNTED_TEXT_SIZE];
    int status = 0;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && status != 1; cpu++) {
        int result = say_decoded(capture, cpu, NULL);
        status = result ? result : status;
        fprintf(file, "CPU %-3u branches   %s\n", cpu, count_text(number, merged->branches[cpu]));
        if (merged->untimed[cpu])
            message_say("%s/cpu%u.pt: %s no TSC packet before them (pt.tsc=off?): listed first, with time 0",
                        capture->directory, cpu,
                        counted_text(number, merged->untimed[cpu], "branch has", "branches have"));
        if (merged->errors[cpu]) {
            message_say("%s/cpu%u.pt: %s; decode --cpu %u lists them", capture->directory, cpu,
                        counted_text(number, merged->errors[cpu], "decode gap", "decode gaps"), cpu);
            status = status ? status : 2;
        }
    }
    return status;
}

static int write_merged(const struct capture *capture, const char *name, unsigned threads)
{
    static struct flow_merged merged;
    struct error error = {0};
    FILE *list;
    if (!open_list(&list, name, capture->directory))
        return 1;
    const struct flow_merge_options options = {
        .threads = threads, .format = list_text_merged, .write = write_merged_text, .context = list};
    bool good = flow_merge(&merged, capture, &options, &error);
    if (!good)
        error_say(&error);
    int status = good ? say_merged(list == stdout ? stderr : stdout, capture, &merged) : 1;
    return output_close(list, name) ? status : 1;
}

/* What is decoded is checked before it is. Returns whether it is damaged; said what is. */
static bool check_decoded(struct capture *capture, const struct decode_options *a)
{
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (a->merged || (a->shard && !a->foreign.cpu) || cpu == a->cpu)
            capture_check_trace(capture, cpu, 0, UINT64_MAX);
    return say_damages(capture);
}

static int decode_capture(const struct decode_options *a)
{
    struct lists lists = {0};
    int status = 1;
    struct capture *capture = open_capture(a->capture);
    if (!capture)
        return 1;
    const bool damaged = check_decoded(capture, a);
    if (a->merged)
        status = write_merged(capture, a->merged, (unsigned)a->threads);
    else if (a->format)
        status = ptxed_print_capture(capture, (uint16_t)a->cpu, &a->ptxed);
    else if (open_list(&lists.branches, a->branches, a->capture) &&
             open_list(&lists.instructions, a->instructions, a->capture) &&
             open_list(&lists.result, a->result, a->capture))
        status = decode_cpus(capture, a, &lists);
    if (!output_close(lists.result, a->result))
        status = 1;
    if (!output_close(lists.branches, a->branches))
        status = 1;
    if (!output_close(lists.instructions, a->instructions))
        status = 1;
    capture_close(capture);
    return status == 0 && damaged ? 2 : status;
}

static int decode_foreign(const struct decode_options *a)
{
    struct foreign foreign;
    struct lists lists = {0};
    int status = 1;
    if (foreign_input_open(&foreign, &a->foreign)) {
        if (a->format)
            status = ptxed_print(&foreign.trace, &foreign.image, &a->ptxed);
        else if (open_list(&lists.branches, a->branches, "") && open_list(&lists.instructions, a->instructions, ""))
            status = decode_trace(&foreign.trace, a, &lists);
    }
    foreign_close(&foreign);
    if (!output_close(lists.branches, a->branches))
        status = 1;
    if (!output_close(lists.instructions, a->instructions))
        status = 1;
    return status;
}

int command_decode(int argc, char **argv)
{
    static struct decode_options a;
    const int status = decode_options_parse(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    return foreign_input_given(&a.foreign) ? decode_foreign(&a) : decode_capture(&a);
}
