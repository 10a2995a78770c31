/* undertrace names: the names of addresses, or the functions that were entered. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/capture_check.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/names_options.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/text/entered_text.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/remembered_text.h"
#include "decode/cli/text/source_line.h"
#include "decode/report/entered.h"

static const char usage[] =
    "usage: undertrace names CAPTURE [options]\n"
    "       undertrace names CAPTURE ADDRESS... [--cr3 CR3] [--at OFFSET] [options]\n"
    "\n"
    "Lists the functions that were entered, by CALL, JMP, RET or otherwise. Each line has the address space\n"
    "(CR3; - is the kernel, in all of them), begin, end, count, symbol, object and process. Code without a\n"
    "known symbol is listed as the stretch around it. A question mark means unknown. Lines that begin\n"
    "with # say where the names come from.\n"
    "\n"
    "With addresses, prints a line for each: address, begin, symbol, object; with --srcline also its source\n"
    "line.\n"
    "\n" NAMES_USAGE "  --cpu N             only this CPU (default: all; with addresses 0)\n"
    "  --cr3 CR3           the address space of ADDRESS\n"
    "  --at OFFSET         the trace offset for ADDRESS (default: the trace's end)\n"
    "  --srcline           print source lines, where --kernel and --files have DWARF or debug files\n"
    "  --threads N         use N threads (default: one for each processor)\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 parts could not be decoded, or the capture is damaged.\n";

#define MAX_ADDRESSES 1024u

struct arguments {
    const char *words[MAX_ADDRESSES + 1];
    uint64_t cpu, cr3, at, threads;
    bool srcline;
    struct names_choice names;
};

static void print_about(const struct names *names)
{
    const char *line;
    for (size_t i = 0; (line = names_about(names, i)); i++)
        printf("# %s\n", line);
}

/* false: a message says that word is not an address. sources may be NULL. */
static bool print_address(const char *word, const struct code_pages *pages, struct names *names,
                          struct source_lines *sources, const struct arguments *a)
{
    char *end, source[SOURCE_LINE_SIZE];
    const uint64_t address = strtoull(word, &end, 16);
    if (*end || end == word) {
        message_print("names: '%s' is not a hexadecimal address", word);
        return false;
    }
    const struct name *name = names_find(names, pages, a->cr3, a->at, address);
    printf("%016" PRIx64 " %016" PRIx64 " %s %s", address, name->begin, name->symbol ? name->symbol : "?",
           name->object ? name->object : "?");
    if (sources)
        printf(" %s", source_line_text(source, sources, pages, a->cr3, a->at, address));
    putchar('\n');
    return true;
}

static int print_addresses(const struct capture *capture, struct names *names, const struct arguments *a)
{
    struct error error = {0};
    struct code_pages pages;
    struct source_lines *sources = NULL;
    const uint16_t cpu = a->cpu == ARGUMENT_NOT_GIVEN ? 0 : (uint16_t)a->cpu;
    if (!capture_trace(capture, cpu, &error) || !code_pages_collect(&pages, capture, cpu, &error)) {
        error_print(&error);
        return 1;
    }
    bool good = !a->srcline || (sources = source_lines_open(names));
    if (!good)
        message_print("names: out of memory for source lines");
    for (size_t i = 1; a->words[i] && good; i++)
        good = print_address(a->words[i], &pages, names, sources, a);
    source_lines_close(sources);
    code_pages_free(&pages);
    return good ? 0 : 1;
}

/* List the functions of all CPUs, or of the selected one. */
static int list_functions(const struct capture *capture, struct names *names, const struct arguments *a)
{
    struct entered seen;
    struct error error = {0};
    int status = 0;
    if (!entered_open(&seen, capture, names)) {
        message_print("%s: out of memory", capture->directory);
        return 1;
    }
    for (unsigned cpu = 0; cpu < capture->nr_cpus && status != 1; cpu++) {
        if (!capture->cpus[cpu].present || (a->cpu != ARGUMENT_NOT_GIVEN && a->cpu != cpu))
            continue;
        bool whole = false;
        if (!entered_add(&seen, (uint16_t)cpu, (unsigned)a->threads, &whole, &error)) {
            error_print(&error);
            status = 1;
        } else if (!whole) {
            message_print("%s/cpu%u.pt: parts of it could not be decoded; undertrace decode lists them",
                          capture->directory, cpu);
            status = 2;
        }
    }
    if (status != 1) {
        pager_start();
        remembered_print(stdout, capture, "# remembered: ");
        print_about(names);
        entered_print(stdout, &seen);
    }
    entered_close(&seen);
    return status;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {
        NAMES_OPTIONS(&a->names),           ARGUMENT_CPU(&a->cpu),
        ARGUMENT_THREADS(&a->threads),      {"cr3", ARGUMENT_NUMBER, &a->cr3, UINT64_MAX},
        {"at", ARGUMENT_OFFSET, &a->at, 0}, {"srcline", ARGUMENT_FLAG, &a->srcline, 0}};
    const struct syntax syntax = {"names", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    a->cpu = ARGUMENT_NOT_GIVEN;
    a->cr3 = FLOW_CR3_UNKNOWN;
    a->at = UINT64_MAX - 1;
    return arguments_parse_list(&syntax, argc, argv, a->words, MAX_ADDRESSES);
}

int command_names(int argc, char **argv)
{
    static struct arguments a;
    int status = parse_arguments(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (a.srcline && !a.words[1]) {
        message_print("names: --srcline requires addresses");
        return 1;
    }
    if (a.srcline && !source_lines_are_there("names"))
        return 1;
    struct capture *capture = open_capture(a.words[0]);
    if (!capture)
        return 1;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && !a.words[1]; cpu++)
        capture_check_trace(capture, cpu, 0, UINT64_MAX);
    const bool damaged = damages_print(capture);
    struct names *names = open_names(capture, &a.names);
    status = !names ? 1 : a.words[1] ? print_addresses(capture, names, &a) : list_functions(capture, names, &a);
    if (names)
        names_close(names);
    capture_close(capture);
    return status == 0 && damaged ? 2 : status;
}
