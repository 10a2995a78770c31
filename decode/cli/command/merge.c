/* undertrace merge: combine the results of parts that were decoded separately. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/capture/capture_check.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/text/decode_text.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/report_text.h"

static const char usage[] =
    "usage: undertrace merge CAPTURE RESULT... [options]\n"
    "\n"
    "Prints what `undertrace decode` prints of a capture, from the results of all of its parts. Each RESULT\n"
    "was written by `undertrace decode --shard I/N --result RESULT`; their order does not matter. To merge\n"
    "the lists of branches or instructions of the parts, concatenate them.\n"
    "\n"
    "  --cpu N             print this CPU (default: 0)\n"
    "  --report            print what `undertrace report` prints\n"
    "  --json FILE, --kernel FILE, --symbols FILE, --files PATH, --truth FILE, --guest NAME\n"
    "                      with --report: options of report\n"
    "\n"
    "Exit status: that of decode or report; also 1 if a part is missing or belongs to another capture.\n";

struct arguments {
    struct report_options report;
    uint64_t cpu;
    bool as_report;
    const char *words[SHARDS_MAX + 1]; /* the capture, then results */
};

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_CPU(&a->cpu),
                                       {"report", ARGUMENT_FLAG, &a->as_report, 0},
                                       {"json", ARGUMENT_TEXT, &a->report.json, 0},
                                       NAMES_OPTIONS(&a->report.names),
                                       {"truth", ARGUMENT_TEXT, &a->report.truth, 0},
                                       {"guest", ARGUMENT_TEXT, &a->report.guest, 0}};
    const struct syntax syntax = {.command = "merge",
                                  .usage = usage,
                                  .options = options,
                                  .nr_options = sizeof(options) / sizeof(options[0]),
                                  .nr_words = 2};
    return arguments_parse_list(&syntax, argc, argv, a->words, SHARDS_MAX + 1);
}

/* false: a message says why. */
static bool read_all(struct shards *shards, const struct capture *capture, const struct arguments *a)
{
    struct error error = {0};
    for (size_t i = 1; i <= SHARDS_MAX && a->words[i]; i++) {
        if (!shards_read(shards, a->words[i], capture, &error)) {
            error_print(&error);
            return false;
        }
    }
    const uint32_t missing = shards_join(shards);
    if (missing)
        message_print("merge: part %" PRIu32 " of %" PRIu32 " is missing", missing, shards->nr_parts);
    bool whole = !missing;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && whole; cpu++) {
        whole = shards->cpus[cpu].parts == shards->nr_parts || !capture->cpus[cpu].present ||
                (!a->as_report && cpu != a->cpu);
        if (!whole)
            message_print("merge: not all parts contain CPU %u: they were decoded with --cpu", cpu);
    }
    return whole;
}

static int merge_decoded(struct capture *capture, const struct shards *shards, uint16_t cpu)
{
    struct error error = {0};
    if (!capture_trace(capture, cpu, &error)) {
        error_print(&error);
        return 1;
    }
    capture_check_trace(capture, cpu, 0, UINT64_MAX);
    const bool damaged = damages_print(capture);
    const int status = print_decoded(stdout, capture, cpu, &shards->cpus[cpu].run);
    return status == 0 && damaged ? 2 : status;
}

static int merge(struct arguments *a, struct shards *shards)
{
    struct summary summary = {.seconds_build = -1, .seconds_boot = -1, .seconds_decode = -1};
    struct capture *capture = open_capture(a->words[0]);
    if (!capture)
        return 1;
    int status = 1;
    const bool good = read_all(shards, capture, a);
    if (good && !a->as_report)
        status = merge_decoded(capture, shards, (uint16_t)a->cpu);
    capture_close(capture);
    if (!good || !a->as_report)
        return status;
    a->report.capture = a->words[0];
    a->report.shards = shards;
    return report_make(&summary, &a->report);
}

int command_merge(int argc, char **argv)
{
    struct arguments *a = calloc(1, sizeof(*a));
    struct shards *shards = calloc(1, sizeof(*shards));
    int status = 1;
    if (!a || !shards)
        message_print("merge: out of memory");
    else if ((status = parse_arguments(a, argc, argv)) == ARGUMENTS_GOOD)
        status = merge(a, shards);
    if (shards)
        shards_free(shards);
    free(shards);
    free(a);
    return status;
}
