/* undertrace report: a report of a capture, as text and as JSON. */
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/text/report_text.h"
#include "decode/cli/text/report_window.h"

static const char usage[] =
    "usage: undertrace report CAPTURE [options]\n"
    "\n"
    "Decodes a capture and prints a report: all CPUs together, and where there are several, each CPU and\n"
    "one time line of all. With names for addresses, also where branches and time went: phases, processes,\n"
    "functions, system calls and interrupts.\n"
    "\n"
    "  --truth FILE        compare with the emulator's truth file\n"
    "  --json FILE         also write the figures to FILE, see docs/report.md (-: to standard output, which\n"
    "                      then has nothing else)\n"
    "  --threads N         use N threads (default: one for each processor)\n" NAMES_USAGE
    "  --time FROM-TO      only where branches and time went in this time: seconds since the first TSC (1.5-1.6),\n"
    "                      or ticks (1000t-2000t); either side may be omitted\n"
    "  --guest NAME, --image-bytes N, --seconds-build S, --seconds-boot S\n"
    "                      figures for the report that only the caller knows\n"
    "\n"
    "Exit status: 0 the trace is complete and undamaged, everything was decoded, and nothing differs from\n"
    "the truth; 1 an error; 2 something is missing, damaged or differs, as the report says.\n";

static int parse_arguments(struct report_options *a, struct summary *summary, int argc, char **argv)
{
    *a = (struct report_options){.image_bytes = ARGUMENT_NOT_GIVEN};
    const struct argument options[] = {ARGUMENT_THREADS(&a->threads),
                                       {"truth", ARGUMENT_TEXT, &a->truth, 0},
                                       {"json", ARGUMENT_TEXT, &a->json, 0},
                                       {"time", ARGUMENT_TEXT, &a->time, 0},
                                       NAMES_OPTIONS(&a->names),
                                       {"guest", ARGUMENT_TEXT, &a->guest, 0},
                                       {"image-bytes", ARGUMENT_NUMBER, &a->image_bytes, UINT64_MAX - 1},
                                       {"seconds-build", ARGUMENT_SECONDS, &summary->seconds_build, 0},
                                       {"seconds-boot", ARGUMENT_SECONDS, &summary->seconds_boot, 0}};
    const struct syntax syntax = {"report", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    int status = arguments_parse(&syntax, argc, argv, &a->capture);
    summary->image_bytes = (struct figure){a->image_bytes != ARGUMENT_NOT_GIVEN, a->image_bytes};
    return status;
}

int command_report(int argc, char **argv)
{
    struct report_options a;
    struct summary summary = {.seconds_build = -1, .seconds_boot = -1, .seconds_decode = -1};
    int status = parse_arguments(&a, &summary, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    return a.time ? report_window(&a) : report_make(&summary, &a);
}
