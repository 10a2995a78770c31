/* undertrace find: when code was first and last executed, and how often. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/options/query_options.h"
#include "decode/cli/options/range_word.h"
#include "decode/cli/text/find_text.h"
#include "decode/cli/text/name_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/unknown_name.h"
#include "decode/names/symbol_match.h"
#include "decode/query/wanted_spaces.h"

static const char usage[] =
    "usage: undertrace find CAPTURE WHAT... [options]\n"
    "\n"
    "Prints when WHAT was executed first and last (time, CPU, trace offset of the preceding PSB, CR3,\n"
    "process), and how often.\n"
    "\n"
    "WHAT is one of:\n"
    "  ADDRESS             the instruction at this linear address, in hexadecimal\n"
    "  A-B                 addresses from A up to but not including B\n"
    "  page:ADDRESS        the page that contains this linear address\n"
    "  FUNCTION            a function by name, or all that match a pattern like 'vfs_*'\n"
    "\n" PROCESS_USAGE "                      (addresses of the kernel's half belong to all address spaces)\n"
    "  --srcline           also print source lines, where --kernel and --files have DWARF or debug files\n"
    "  --json              print one JSON object for each WHAT\n" QUERY_USAGE "\n"
    "The first query creates CAPTURE/index.executed, which takes as long as decoding; later queries use it.\n"
    "\n"
    "A function that exists and was not executed is printed as never executed; an unknown name is an error.\n"
    "\n"
    "Exit status: 0 each was executed; 1 an error; 2 one was not, or parts of the trace are unknown.\n";

#define MOST_WORDS 256u

struct find {
    struct indexed_capture indexed;
    struct wanted_spaces spaces; /* selected address spaces; meant NULL: all */
    const char *const *words;    /* the command's words, up to NULL */
    struct find_listing listing;
    struct executed_function *functions; /* NULL: not collected yet */
    size_t nr_functions;
};

/* Returns whether it was executed. */
static bool find_range(const struct find *find, const char *word, uint64_t begin, uint64_t end)
{
    struct occurrence o = {.begin = begin, .end = end, .spaces = find->spaces.meant};
    char what[NAME_TEXT_SIZE + 64], name[NAME_TEXT_SIZE];
    occurrence_find(&o, &find->indexed);
    snprintf(what, sizeof(what), "%s", word);
    if (o.runs) {
        name_text(name, indexed_capture_name(&find->indexed, o.first.stretch, o.first.space->cr3, begin), begin);
        snprintf(what, sizeof(what), "%s%s%s", word, name[0] ? " " : "", name);
    }
    find_print(&find->listing, what, &o);
    return o.runs > 0;
}

/* Does one of the patterns match? */
static bool matches_pattern(void *context, const char *symbol)
{
    const struct find *find = context;
    for (const char *const *word = find->words; *word; word++)
        if (symbol_matches(symbol, *word))
            return true;
    return false;
}

/* Returns the exit status: 0 one was executed; 1 no function is known by this name; 2 none was executed. */
static int find_functions(struct find *find, const char *pattern)
{
    bool found = false;
    const struct executed_filter filter = {find->spaces.meant, matches_pattern, find};
    if (!find->functions && !(find->functions = functions_executed(&find->indexed, &filter, &find->nr_functions))) {
        message_print("find: out of memory for the functions");
        return 1;
    }
    for (size_t i = 0; i < find->nr_functions; i++) {
        const struct executed_function *function = &find->functions[i];
        char name[NAME_TEXT_SIZE], what[NAME_TEXT_SIZE + 32];
        if (!function->name->symbol || !symbol_matches(function->name->symbol, pattern))
            continue;
        name_text(name, function->name, function->name->begin);
        snprintf(what, sizeof(what), "%#" PRIx64 " %s", function->name->begin, name);
        find_print(&find->listing, what, &function->occurrence);
        found = true;
    }
    if (found)
        return 0;
    const bool known = unknown_name_print(find->indexed.names, "find:", pattern) == SYMBOL_KNOWN;
    if (known || find->listing.json)
        find_print(&find->listing, pattern, &(struct occurrence){0});
    return known ? 2 : 1;
}

/* No function's name begins like a number. */
static bool is_address_like(const char *word)
{
    return (word[0] >= '0' && word[0] <= '9') || !strncmp(word, "page:", 5);
}

/* false: a message says which word is invalid. */
static bool check_words(const char *const *words)
{
    uint64_t begin, end;
    for (; *words; words++)
        if (is_address_like(*words) && !range_word_parse(*words, &begin, &end)) {
            message_print("find: '%s' is not a hexadecimal ADDRESS, A-B or page:ADDRESS", *words);
            return false;
        }
    return true;
}

static int find_all(struct find *find, const char *const *words)
{
    int status = 0;
    find->words = words;
    for (; *words; words++) {
        uint64_t begin, end;
        const int found = !range_word_parse(*words, &begin, &end) ? find_functions(find, *words)
                          : find_range(find, *words, begin, end)  ? 0
                                                                  : 2;
        status = status == 1 || found == 0 ? status : found;
    }
    const int missing = query_print_missing(&find->indexed);
    return status == 0 ? missing : status;
}

/* false: a message says why. */
static bool find_spaces(struct find *find, const char *process, uint64_t cr3)
{
    if (!process)
        return true;
    if (!wanted_spaces_find(&find->spaces, &find->indexed, cr3, process, false)) {
        message_print("find: --process %s: out of memory", process);
        return false;
    }
    if (find->spaces.mixed)
        message_print("find: --process %s: the capture does not record when other processes have its CR3; everything "
                      "executed there counts",
                      process);
    if (find->spaces.count == 0)
        message_print("find: --process %s: no such process executed anything; undertrace report lists the processes",
                      process);
    return find->spaces.count > 0;
}

int command_find(int argc, char **argv)
{
    static struct query_options a;
    static struct find find;
    const char *words[MOST_WORDS + 2] = {NULL}, *process = NULL;
    bool srcline = false;
    const struct argument options[] = {{"process", ARGUMENT_TEXT, &process, 0},
                                       {"json", ARGUMENT_FLAG, &find.listing.json, 0},
                                       {"srcline", ARGUMENT_FLAG, &srcline, 0},
                                       QUERY_OPTIONS(&a)};
    const struct syntax syntax = {"find", usage, options, sizeof(options) / sizeof(options[0]), 2, 0};
    int status = arguments_parse_list(&syntax, argc, argv, words, MOST_WORDS + 1);
    uint64_t cr3;
    find.listing.indexed = &find.indexed;
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!check_words(words + 1) || !process_word_parse(&cr3, "find", process) ||
        (srcline && !source_lines_are_there("find")) || !query_open(&find.indexed, words[0], &a))
        return 1;
    if (srcline && !(find.listing.sources = source_lines_open(find.indexed.names))) {
        message_print("find: out of memory for source lines");
        status = 1;
    } else if (!find_spaces(&find, process, cr3)) {
        status = 1;
    } else {
        for (const char **word = words + 1; *word; word++)
            if (!is_address_like(*word))
                *word = shown_name_print(find.indexed.names, "find:", *word);
        pager_start();
        status = find_all(&find, words + 1);
    }
    wanted_spaces_free(&find.spaces);
    source_lines_close(find.listing.sources);
    free(find.functions);
    indexed_capture_close(&find.indexed);
    return status;
}
