/* undertrace export: a capture as files for other tools. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/export_options.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/export/formats.h"
#include "decode/export/perf_directory.h"
#include "decode/profile/label.h"
#include "decode/report/number_text.h"

/* --every, where it is not given. */
#define PERF_EVERY_BRANCHES 10000u
#define PERF_EVERY_TICKS 1000000u

static const char usage[] =
    "usage: undertrace export CAPTURE --format F -o FILE [options]\n"
    "\n"
    "Writes what a capture says for other tools; FILE - is standard output.\n"
    "\n"
    "  --format F          calls over time:\n"
    "                      chrome      Trace Event JSON: chrome://tracing, ui.perfetto.dev\n"
    "                      perfetto    Perfetto's protobuf: ui.perfetto.dev, trace_processor\n"
    "                      speedscope  speedscope.app's JSON\n"
    "                      call tree, summed up:\n"
    "                      folded      flamegraph.pl, speedscope, inferno\n"
    "                      callgrind   KCachegrind, callgrind_annotate\n"
    "                      lcov        genhtml: which functions ran\n"
    "                      branches:\n"
    "                      drcov       Lighthouse, drcov2lcov: which code ran\n"
    "                      bolt        perf2bolt -pa: branches and what ran between them, of one --object\n"
    "                      samples:\n"
    "                      perf        a directory for perf report and perf script: call chains of every process, with "
    "the\n"
    "                                  code and the symbols that they need\n"
    "  --time FROM-TO      only this time: seconds since the first TSC (1.5-1.6), or ticks (1000t-2000t); one side may "
    "be\n"
    "                      left out\n"
    "  --from T, --to T    the same, one by one: seconds since the first TSC, or ticks since then (123456t)\n"
    "  --cpu N             only this CPU (default: all)\n" PROCESS_USAGE
    "  --most N            of calls over time: keep so many, the longest (default: 500000); the others are merged "
    "into\n"
    "                      what called them, and counted\n"
    "  --shortest S        keep none shorter than S seconds\n"
    "  --unit U            of folded and perf: branches (default) or ticks\n"
    "  --every N           of perf: a sample at each N branches (default: 10000) or ticks (1000000); 1: at each change "
    "of\n"
    "                      functions\n"
    "  --object NAME       of bolt: the program, library or module (default: vmlinux)\n"
    "  --sources DIR       of lcov: write listings of all functions there, which genhtml shows as sources\n" NAMES_USAGE
    "  --threads N         with N threads (default: one a processor)\n"
    "\n"
    "Exit status: 0 all is written; 1 an error; 2 parts are missing, damaged, or could not be decoded.\n";

enum source { FROM_SLICES, FROM_PROFILE, FROM_EDGES, FROM_SAMPLES };

static const struct format {
    const char *name;
    enum source source;
    bool by_cpu;
} formats[] = {{"chrome", FROM_SLICES, false},  {"perfetto", FROM_SLICES, false},   {"speedscope", FROM_SLICES, true},
               {"folded", FROM_PROFILE, false}, {"callgrind", FROM_PROFILE, false}, {"lcov", FROM_PROFILE, false},
               {"drcov", FROM_EDGES, false},    {"bolt", FROM_EDGES, false},        {"perf", FROM_SAMPLES, false}};

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (name && !strcmp(name, formats[i].name))
            return &formats[i];
    if (name)
        message_say("export: --format %s: is none; undertrace export --help lists them", name);
    else
        message_say("export: --format says which one; undertrace export --help lists them");
    return NULL;
}

static void say_slices(const struct slices *slices, const struct calls_run *run)
{
    char number[COUNT_TEXT_SIZE];
    message_say("%s calls", count_text(number, slices->count));
    if (slices->merged)
        message_say("%s calls shorter than %.3f us are merged into what called them: --from and --to for less of the "
                    "time, or --most for more calls",
                    count_text(number, slices->merged),
                    (double)calls_nanoseconds(&run->clock, run->clock.zero + slices->least) / 1000);
}

static bool write_slices(FILE *file, const struct format *format, struct calls_run *run,
                         const struct export_options *options, struct error *error)
{
    struct slices slices;
    slices_init(&slices, run->names, (size_t)options->most, export_shortest(run, options), format->by_cpu);
    bool good = slices_collect(run, &slices, error);
    if (good && !strcmp(format->name, "chrome"))
        chrome_write(file, &slices, run);
    else if (good && !strcmp(format->name, "perfetto"))
        good = perfetto_write(file, &slices, run) || error_set(error, ERROR_MEMORY, 0, "names");
    else if (good)
        good = speedscope_write(file, &slices, run) || error_set(error, ERROR_MEMORY, 0, "names");
    if (good)
        say_slices(&slices, run);
    slices_free(&slices);
    return good;
}

static enum export_unit unit_of(const struct export_options *options)
{
    return !strcmp(options->unit, "ticks") ? EXPORT_TICKS : EXPORT_BRANCHES;
}

static bool write_profile(FILE *file, const struct format *format, struct calls_run *run,
                          const struct export_options *options, struct error *error)
{
    struct profile profile;
    bool written = false,
         good = profile_init(&profile, run->names) || error_set(error, ERROR_MEMORY, 0, "the call tree");
    good = good && profile_collect(run, &profile, error);
    if (good && !strcmp(format->name, "folded"))
        written = folded_write(file, &profile, unit_of(options));
    else if (good && !strcmp(format->name, "callgrind"))
        written = callgrind_write(file, &profile);
    else if (good)
        written = lcov_write(file, &profile, run->names, options->sources, error);
    profile_free(&profile);
    return good && (written || error_set(error, ERROR_MEMORY, 0, "the call tree"));
}

static bool write_edges(FILE *file, const struct format *format, struct calls_run *run,
                        const struct export_options *options, struct error *error)
{
    char number[COUNT_TEXT_SIZE];
    struct edges edges;
    uint64_t count = 0;
    bool good = edges_collect(&edges, run, error);
    if (good && !strcmp(format->name, "bolt")) {
        count = bolt_write(file, &edges, options->object);
        if (count > 0)
            message_say("%s branches and runs of %s", count_text(number, count), options->object);
        else /* perf2bolt would make nothing of it */
            good = error_set(error, ERROR_NOT_EXECUTED, 0, "%s", options->object);
    } else if (good) {
        good = drcov_write(file, &edges, &count) || error_set(error, ERROR_MEMORY, 0, "code that ran");
        message_say("%s blocks", count_text(number, count));
    }
    edges_free(&edges);
    return good;
}

static bool write_from(FILE *file, const struct format *format, struct calls_run *run,
                       const struct export_options *options, struct error *error)
{
    switch (format->source) {
    case FROM_SLICES:
        return write_slices(file, format, run, options, error);
    case FROM_PROFILE:
        return write_profile(file, format, run, options, error);
    case FROM_EDGES:
        return write_edges(file, format, run, options, error);
    case FROM_SAMPLES:
        break;
    }
    return false;
}

/* The format that is a directory. */
static bool write_directory(struct calls_run *run, const struct export_options *options, struct error *error)
{
    char samples[COUNT_TEXT_SIZE], lost[COUNT_TEXT_SIZE];
    struct perf_wishes wishes = {unit_of(options), options->every};
    struct perf_sums sums;
    if (wishes.every == ARGUMENT_NOT_GIVEN)
        wishes.every = wishes.unit == EXPORT_TICKS ? PERF_EVERY_TICKS : PERF_EVERY_BRANCHES;
    if (!perf_directory_write(options->output, run, &wishes, &sums, error))
        return false;
    message_say("%s samples; perf report -i %s", count_text(samples, sums.samples), options->output);
    if (sums.lost)
        message_say("%s %s are in none: behind gaps nobody knows which task runs", count_text(lost, sums.lost),
                    options->unit);
    return true;
}

static int write_format(const struct format *format, struct export_options *options)
{
    struct calls_run run;
    struct error error = {0};
    int status = 1;
    FILE *file = NULL;
    const bool directory = format->source == FROM_SAMPLES;
    if (!strcmp(format->name, "lcov") && !options->sources)
        message_say("export: without --sources DIR there are no listings that genhtml could show: it wants "
                    "--ignore-errors source then");
    if (export_begin(&run, "export", options) &&
        (directory || (file = output_open(options->output, options->capture)))) {
        const bool good =
            directory ? write_directory(&run, options, &error) : write_from(file, format, &run, options, &error);
        status = good ? export_end(&run) : 1;
        if (!good)
            error_say(&error);
    }
    if (!output_close(file, options->output))
        status = 1;
    export_close(&run);
    return status;
}

int command_export(int argc, char **argv)
{
    static struct export_options o = {.cpu = ARGUMENT_NOT_GIVEN,
                                      .most = 500000,
                                      .every = ARGUMENT_NOT_GIVEN,
                                      .unit = "branches",
                                      .object = "vmlinux"};
    const struct argument options[] = {EXPORT_ARGUMENTS(&o),
                                       {"format", ARGUMENT_TEXT, &o.format, 0},
                                       {"unit", ARGUMENT_TEXT, &o.unit, 0},
                                       {"every", ARGUMENT_NUMBER, &o.every, UINT64_MAX - 1},
                                       {"object", ARGUMENT_TEXT, &o.object, 0},
                                       {"sources", ARGUMENT_TEXT, &o.sources, 0}};
    const struct syntax syntax = {"export", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    const int status = arguments_parse(&syntax, argc, argv, &o.capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    const struct format *format = find_format(o.format);
    if (!format)
        return 1;
    if (!o.output) {
        message_say("export: -o FILE says where to write; - is standard output");
        return 1;
    }
    if (format->source == FROM_SAMPLES && !strcmp(o.output, "-")) {
        message_say("export: --format perf writes a directory: -o names a new one");
        return 1;
    }
    if (strcmp(o.unit, "branches") != 0 && strcmp(o.unit, "ticks") != 0) {
        message_say("export: --unit %s: there are branches and ticks", o.unit);
        return 1;
    }
    return write_format(format, &o);
}
