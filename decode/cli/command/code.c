/* undertrace code: the captured code as an ELF file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/calls/calls_run.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/options/query_options.h"
#include "decode/cli/options/range_word.h"
#include "decode/cli/options/time_word.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/flow/flow_trace.h"
#include "decode/query/code_elf.h"
#include "decode/query/code_space_at.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace code CAPTURE -o FILE [options]\n"
    "\n"
    "Writes the captured code as an ELF file for objdump, gdb and other tools: the pages of one address\n"
    "space and of the kernel, at their linear addresses and with their contents at one moment. Functions\n"
    "become symbols.\n"
    "\n"
    "  -o FILE             the ELF file\n"
    "  --cpu N             the code that this CPU ran (default: 0)\n"
    "  --at OFFSET         the moment as a trace offset (default: the trace's end)\n"
    "  --time T            the moment as seconds since the first TSC (1.5), or ticks (1000t)\n"
    "  --cr3 CR3           the address space (default: the one that ran at that moment)\n" NAMES_USAGE "\n"
    "Use: objdump -d FILE (32-bit code: -M i386), or gdb -batch -ex 'disassemble start_kernel' FILE.\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 done, but the capture is damaged.\n";

struct arguments {
    const char *capture, *output, *time, *cr3_word;
    uint64_t cpu, at, cr3;
    struct names_choice names;
};

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_CPU(&a->cpu),
                                       {"o", ARGUMENT_TEXT, &a->output, 0},
                                       {"at", ARGUMENT_OFFSET, &a->at, 0},
                                       {"time", ARGUMENT_TEXT, &a->time, 0},
                                       {"cr3", ARGUMENT_TEXT, &a->cr3_word, 0},
                                       NAMES_OPTIONS(&a->names)};
    const struct syntax syntax = {"code", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    uint64_t end;
    a->at = ARGUMENT_NOT_GIVEN;
    a->cr3 = FLOW_CR3_UNKNOWN;
    const int status = arguments_parse(&syntax, argc, argv, &a->capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!a->output || (a->time && a->at != ARGUMENT_NOT_GIVEN)) {
        message_print(a->output ? "code: --at and --time exclude each other" : "code: -o FILE is required");
        return 1;
    }
    if (a->cr3_word && !range_word_parse(a->cr3_word, &a->cr3, &end)) {
        message_print("code: --cr3: '%s' is not a hexadecimal CR3", a->cr3_word);
        return 1;
    }
    return ARGUMENTS_GOOD;
}

/* Is the time within the trace? false: a message says where the trace ends. The end is printed in nanoseconds, so it
 * may be exceeded by one. */
static bool is_before_end(const struct arguments *a, const struct calls_clock *clock, const struct flow_trace *trace,
                          uint64_t tsc)
{
    const uint64_t last = code_last_tsc(trace);
    if (last == 0 || tsc <= last + clock->khz / 1000000 + 1)
        return true;
    if (clock->khz)
        message_print("code: --time %s: CPU %" PRIu64 "'s trace ends at %.9f", a->time, a->cpu,
                      (double)(last - clock->zero) / ((double)clock->khz * 1000));
    else
        message_print("code: --time %s: CPU %" PRIu64 "'s trace ends at %" PRIu64 "t", a->time, a->cpu,
                      last - clock->zero);
    return false;
}

static bool is_in_trace(const struct arguments *a, const struct flow_trace *trace)
{
    if (a->at == ARGUMENT_NOT_GIVEN || a->at <= trace->input.trace_size)
        return true;
    message_print("code: --at %" PRIu64 ": CPU %" PRIu64 "'s trace ends at offset %zu", a->at, a->cpu,
                  (size_t)trace->input.trace_size);
    return false;
}

/* Find the moment as a trace offset. false: a message says why there is none. */
static bool find_moment(struct arguments *a, const struct capture *capture, const struct flow_trace *trace)
{
    struct calls_clock clock;
    struct error error = {0};
    uint64_t tsc = 0;
    if (!calls_clock_read(&clock, capture, &error)) {
        error_print(&error);
        return false;
    }
    const struct time_word_clock words = {clock.zero, clock.khz, false};
    if (a->time && (clock.by_branches || !time_word_parse(&tsc, &words, a->time, strlen(a->time)))) {
        message_print("code: --time: '%s' is not a time in seconds (1.5) or ticks (1000t)%s", a->time,
                      clock.by_branches ? "; the trace has no TSC packet" : "");
        return false;
    }
    if ((a->time && !is_before_end(a, &clock, trace, tsc)) || !is_in_trace(a, trace))
        return false;
    if (a->time)
        a->at = code_offset_at(trace, tsc);
    else if (a->at == ARGUMENT_NOT_GIVEN)
        a->at = trace->input.trace_size;
    if (a->cr3 == FLOW_CR3_UNKNOWN)
        a->cr3 = code_cr3_at(trace, a->at);
    return true;
}

static int write_image(const struct arguments *a, const struct code_image *image)
{
    char pages[COUNT_TEXT_SIZE], symbols[COUNT_TEXT_SIZE], inferred[COUNT_TEXT_SIZE], cr3[32] = "not known";
    FILE *file = output_begin_whole(a->output, a->capture);
    if (!file)
        return 1;
    const enum code_elf_result result = code_elf_write(file, image);
    if (result == CODE_ELF_TOO_MANY)
        message_print("code: the code is in more than 65,000 pieces, too many for an ELF file");
    if (result == CODE_ELF_NO_MEMORY)
        message_print("code: out of memory for the file");
    if (!output_finish(file, a->output, result == CODE_ELF_WRITTEN) || result != CODE_ELF_WRITTEN)
        return 1;
    if (a->cr3 != FLOW_CR3_UNKNOWN)
        snprintf(cr3, sizeof(cr3), "%#" PRIx64, a->cr3);
    fprintf(file == stdout ? stderr : stdout,
            "CR3              %s\ntrace offset     %" PRIu64
            "\npages            %s\n  inferred       %s\nsymbols          %s\n",
            cr3, a->at, count_text(pages, image->nr_pages), count_text(inferred, image->inferred),
            count_text(symbols, image->nr_symbols));
    return 0;
}

static int write_code(struct arguments *a, const struct capture *capture, const struct flow_trace *trace)
{
    struct code_image image = {0};
    const struct code_pages *pages = &trace->pages;
    struct names *names = open_names(capture, &a->names);
    int status = 1;
    if (!names)
        return 1;
    const uint64_t space = a->cr3 == FLOW_CR3_UNKNOWN ? CODE_SPACE_UNKNOWN : code_pages_space(pages, a->cr3);
    if (!code_image_collect(&image, pages, space, a->at) || !code_image_name(&image, names, pages, a->cr3, a->at))
        message_print("code: out of memory for the pages");
    else if (image.nr_pages == 0)
        message_print("code: %s: no code is known at trace offset %" PRIu64, a->capture, a->at);
    else
        status = write_image(a, &image);
    code_image_free(&image);
    names_close(names);
    return status;
}

int command_code(int argc, char **argv)
{
    static struct arguments a;
    struct error error = {0};
    struct flow_trace trace;
    int status = parse_arguments(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    status = 1;
    if (!flow_trace_open(&trace, capture, (uint16_t)a.cpu, &error))
        error_print(&error);
    else if (find_moment(&a, capture, &trace))
        status = write_code(&a, capture, &trace);
    flow_trace_close(&trace);
    const bool damaged = damages_print(capture);
    capture_close(capture);
    return status == 0 && damaged ? 2 : status;
}
