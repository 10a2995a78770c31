#include "decode/cli/trace/trace_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/capture/capture.h"
#include "decode/cli/message.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/options/range_word.h"
#include "decode/cli/options/time_word.h"
#include "decode/cli/text/disassembly.h"
#include "decode/cli/text/name_text.h"
#include "decode/cli/text/source_line.h"
#include "decode/engine/flow.h"

static const char usage[] =
    "usage: undertrace trace CAPTURE [options]\n"
    "\n"
    "Lists what was executed in the order of time, with time, CPU and process. Each line begins with seconds\n"
    "since the capture's first TSC, or with ticks if the TSC's frequency is unknown, followed by the CPU, the\n"
    "CR3 (-: a kernel task) and, where the capture records processes, a name and number: with functions those\n"
    "of the thread, otherwise those of the CR3's process.\n"
    "\n"
    "  --what functions    calls, interrupts and system calls, indented by their depth (the default)\n"
    "  --what branches     each branch: kind, from, to\n"
    "  --what instructions\n"
    "                      each instruction\n"
    "  --returns           with functions: also list where each is left, and after how long, if the time of\n"
    "                      the list has advanced; undertrace latency has finer times\n"
    "  --disassemble       with instructions: print their text\n"
    "  --srcline           also print source lines, where --kernel and --files have DWARF or debug files\n"
    "\n"
    "Filters:\n"
    "  --time FROM-TO      only this time: seconds since the first TSC (1.5-1.6), or ticks (1000t-2000t);\n"
    "                      either side may be omitted\n"
    "  --cpu N             only this CPU\n" PROCESS_USAGE
    "  --function NAME     only this function, or those that match a pattern, with everything that they call\n"
    "  --depth N           functions up to this depth; with --function relative to it (0: only itself)\n"
    "  --address A[-B]     only functions that begin at these addresses, branches from or to them, or\n"
    "                      instructions at them\n"
    "  --from F, --to G    on each CPU: from the first call of F, up to the first call of G after it\n"
    "  --lines N           at most N lines\n"
    "\n"
    "  -o FILE             write to FILE (default: standard output)\n"
    "  --color WHEN        auto (the default: on a terminal), always, never\n" QUERY_USAGE "\n"
    "Exit status: 0 done; 1 an error; 2 done, but parts of the trace are unknown.\n";

static const char *const whats[] = {"functions", "branches", "instructions", NULL};

enum { COLOR_AUTO, COLOR_ALWAYS };
static const char *const colors[] = {"auto", "always", "never", NULL};

static bool is_colored(const struct trace_options *o, size_t color)
{
    const bool terminal = (!o->output || !strcmp(o->output, "-")) && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    return color == COLOR_AUTO ? terminal : color == COLOR_ALWAYS;
}

static bool parse_places(struct trace_options *o)
{
    if (!process_word_parse(&o->cr3, "trace", o->process))
        return false;
    if (o->address && !range_word_parse(o->address, &o->addresses.begin, &o->addresses.end)) {
        message_print("trace: --address: '%s' is not a hexadecimal address or range A-B", o->address);
        return false;
    }
    return true;
}

/* Check for options that exclude each other. */
static bool check(const struct trace_options *o)
{
    if (o->disassemble && o->what != TRACE_INSTRUCTIONS) {
        message_print("trace: --disassemble requires --what instructions");
        return false;
    }
    if (o->disassemble && !disassembly_is_there()) {
        message_print("trace: --disassemble: this undertrace was built without Zydis; install libzydis-dev and "
                      "rebuild it, or use undertrace code and objdump");
        return false;
    }
    if (o->returns && o->what != TRACE_FUNCTIONS) {
        message_print("trace: --returns requires --what functions");
        return false;
    }
    if (o->depth != ARGUMENT_NOT_GIVEN && o->what != TRACE_FUNCTIONS && !o->function) {
        message_print("trace: --depth requires --what functions or --function NAME");
        return false;
    }
    return true;
}

int trace_options_parse(struct trace_options *o, int argc, char **argv)
{
    *o = (struct trace_options){.cpu = ARGUMENT_NOT_GIVEN, .depth = ARGUMENT_NOT_GIVEN, .lines = ARGUMENT_NOT_GIVEN};
    struct argument_choice what = {whats, TRACE_FUNCTIONS, "--what value"}, color = {colors, COLOR_AUTO, NULL};
    const struct argument options[] = {{"what", ARGUMENT_CHOICE, &what, 0},
                                       {"returns", ARGUMENT_FLAG, &o->returns, 0},
                                       {"disassemble", ARGUMENT_FLAG, &o->disassemble, 0},
                                       {"srcline", ARGUMENT_FLAG, &o->srcline, 0},
                                       {"time", ARGUMENT_TEXT, &o->time, 0},
                                       ARGUMENT_CPU(&o->cpu),
                                       {"process", ARGUMENT_TEXT, &o->process, 0},
                                       {"function", ARGUMENT_TEXT, &o->function, 0},
                                       {"depth", ARGUMENT_NUMBER, &o->depth, 1000000},
                                       {"address", ARGUMENT_TEXT, &o->address, 0},
                                       {"from", ARGUMENT_TEXT, &o->from, 0},
                                       {"to", ARGUMENT_TEXT, &o->to, 0},
                                       {"lines", ARGUMENT_NUMBER, &o->lines, UINT64_MAX - 1},
                                       {"o", ARGUMENT_TEXT, &o->output, 0},
                                       {"color", ARGUMENT_CHOICE, &color, 0},
                                       QUERY_OPTIONS(&o->query)};
    const struct syntax syntax = {"trace", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    const int status = arguments_parse(&syntax, argc, argv, &o->capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    o->what = (enum trace_what)what.chosen;
    o->colored = is_colored(o, color.chosen);
    return parse_places(o) && check(o) && (!o->srcline || source_lines_are_there("trace")) ? ARGUMENTS_GOOD : 1;
}

bool trace_options_time(const struct trace_options *o, const struct indexed_capture *indexed, uint64_t *from,
                        uint64_t *to)
{
    const struct time_word_clock clock = {indexed->index.header->first_tsc, indexed->tsc_khz, false};
    *from = 0;
    *to = UINT64_MAX;
    if (!o->time)
        return true;
    if (time_word_window(from, to, &clock, o->time)) {
        const uint64_t last = indexed->index.header->last_tsc;
        char end[TIME_TEXT_SIZE];
        if (*from <= last || last == 0)
            return true;
        message_print("trace: --time %s: the trace ends at %s", o->time, time_text(end, indexed, last));
        return false;
    }
    message_print(
        "trace: --time: '%s' is not FROM-TO in seconds (1.5-2) or in ticks since the first TSC (1000t-2000t)%s",
        o->time, indexed->tsc_khz ? "" : "; the capture does not contain the TSC's frequency");
    return false;
}
