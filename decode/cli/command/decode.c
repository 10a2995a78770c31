/* undertrace decode: the control flow as a list of branches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/capture_check.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/decode_options.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/output.h"
#include "decode/cli/text/decode_text.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/list_text.h"
#include "decode/cli/text/run_flow.h"
#include "decode/flow/flow_run.h"
#include "decode/flow/merged.h"
#include "decode/report/number_text.h"
#include "decode/report/shards.h"

/* The files of the lists; NULL: none. */
struct lists {
    FILE *branches, *instructions, *result;
};

enum { LIST_BRANCHES, LIST_INSTRUCTIONS, NR_LISTS };

static size_t format_list(void *context, unsigned list, char *text, const struct flow_batch *batch)
{
    const struct lists *lists = context;
    if (list == LIST_BRANCHES)
        return lists->branches ? list_text_branches(text, batch) : 0;
    return lists->instructions ? list_text_instructions(text, batch) : 0;
}

static void write_list(void *context, const struct flow_batch *batch)
{
    const struct lists *lists = context;
    if (batch->kind == FLOW_BATCH_TEXT)
        fwrite(batch->text, 1, batch->count, batch->list == LIST_BRANCHES ? lists->branches : lists->instructions);
}

static struct flow_run_options run_options(const struct decode_options *a, uint16_t cpu, struct lists *lists)
{
    return (struct flow_run_options){
        .cpu = cpu,
        .threads = (unsigned)a->threads,
        .part = a->part,
        .nr_parts = a->nr_parts,
        .count_targets = lists->result,
        .sums_only = !lists->result,
        .needs = (lists->branches ? FLOW_NEED_BRANCHES : 0) | (lists->instructions ? FLOW_NEED_INSTRUCTIONS : 0) |
                 (lists->result ? FLOW_NEED_HASH : 0),
        .format = lists->branches || lists->instructions ? format_list : NULL,
        .nr_lists = NR_LISTS,
        .context = lists,
    };
}

static int decode_cpu(const struct capture *capture, uint16_t cpu, const struct decode_options *a, struct lists *lists)
{
    struct flow_run run;
    struct flow_run_options options = run_options(a, cpu, lists);
    if (!run_flow_each(&run, capture, &options, write_list, lists)) {
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

static bool decode_lists(struct flow_run *run, struct flow_trace *trace, const struct flow_run_options *options,
                         struct lists *lists, struct error *error)
{
    const struct flow_batch *batch;
    struct flow_pull pull;
    if (!flow_pull_open(&pull, run, trace, options, error))
        return false;
    while ((batch = flow_pull_next(&pull)))
        write_list(lists, batch);
    return flow_pull_close(&pull, error);
}

static int decode_trace(struct flow_trace *trace, const struct decode_options *a, struct lists *lists)
{
    struct flow_run run;
    struct error error = {0};
    const struct flow_run_options options = run_options(a, 0, lists);
    if (!decode_lists(&run, trace, &options, lists, &error)) {
        error_print(&error);
        flow_run_free(&run);
        return 1;
    }
    print_sums(lists->branches == stdout || lists->instructions == stdout ? stderr : stdout, &run);
    trace_errors_print(&run, a->foreign.pt ? a->foreign.pt : a->foreign.perf);
    const int status = run.decode_gaps.count ? 2 : 0;
    flow_run_free(&run);
    return status;
}

/* Decode the given CPU (default: 0), or for a shard without a list each CPU (unless one is given). */
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

/* Open a list; a NULL name means none. false: a message says why. */
static bool open_list(FILE **list, const char *name, const char *capture)
{
    *list = name ? output_open(name, capture) : NULL;
    return !name || *list;
}

#define LINES_AT_ONCE 256u

static void write_merged_lines(void *context, uint16_t cpu, uint64_t tsc, const union flow_item *branches, size_t count)
{
    static char text[LINES_AT_ONCE * LIST_LINE_MAX];
    for (size_t done = 0; done < count; done += LINES_AT_ONCE) {
        const size_t part = count - done < LINES_AT_ONCE ? count - done : LINES_AT_ONCE;
        const size_t size = list_text_merged(text, cpu, tsc, branches + done, part);
        fwrite(text, 1, size, context);
    }
}

/* Print the totals, and report what could not be placed. Returns the exit status. */
static int say_merged(FILE *file, const struct capture *capture, const struct merged *merged)
{
    char number[COUNTED_TEXT_SIZE];
    int status = 0;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && status != 1; cpu++) {
        int result = say_decoded(capture, cpu, NULL);
        status = result ? result : status;
        fprintf(file, "CPU %-3u branches   %s\n", cpu, count_text(number, merged->branches[cpu]));
        if (merged->untimed[cpu])
            message_print("%s/cpu%u.pt: %s no TSC packet before them (pt.tsc=off?): listed first, with time 0",
                          capture->directory, cpu,
                          counted_text(number, merged->untimed[cpu], "branch has", "branches have"));
        if (merged->errors[cpu]) {
            message_print("%s/cpu%u.pt: %s; decode --cpu %u lists them", capture->directory, cpu,
                          counted_text(number, merged->errors[cpu], "decode gap", "decode gaps"), cpu);
            status = status ? status : 2;
        }
    }
    return status;
}

static int write_merged(const struct capture *capture, const char *name, unsigned threads)
{
    static struct merged merged;
    struct error error = {0};
    FILE *list;
    if (!open_list(&list, name, capture->directory))
        return 1;
    bool good = merged_run(&merged, capture, threads, write_merged_lines, list, &error);
    if (!good)
        error_print(&error);
    int status = good ? say_merged(list == stdout ? stderr : stdout, capture, &merged) : 1;
    return output_close(list, name) ? status : 1;
}

/* Check the traces to be decoded. Returns whether they are damaged, which messages report. */
static bool check_decoded(struct capture *capture, const struct decode_options *a)
{
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (a->merged || (a->shard && !a->foreign.cpu) || cpu == a->cpu)
            capture_check_trace(capture, cpu, 0, UINT64_MAX);
    return damages_print(capture);
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
        if (open_list(&lists.branches, a->branches, "") && open_list(&lists.instructions, a->instructions, ""))
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
