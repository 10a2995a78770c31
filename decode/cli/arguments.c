#include "decode/cli/arguments.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/cli/message.h"

#define HELP 256         /* what getopt_long returns for --help: no letter */
#define FIRST_OPTION 257 /* and for the first of the table */
#define DUMP_DIGITS 16u

static bool take_number(const struct syntax *syntax, const struct argument *option, const char *word)
{
    uint64_t number;
    if (text_number(&number, (struct record_text){word, strlen(word)}) && number <= option->max) {
        *(uint64_t *)option->value = number;
        return true;
    }
    message_print("%s: --%s: '%s' is not a number from 0 to %" PRIu64, syntax->command, option->name, word,
                  option->max);
    return false;
}

static bool take_offset(const struct syntax *syntax, const struct argument *option, const char *word)
{
    size_t length = strlen(word);
    char *end;
    if (length == DUMP_DIGITS && strspn(word, "0123456789abcdefABCDEF") == length) {
        *(uint64_t *)option->value = strtoull(word, &end, 16);
        return true;
    }
    if (text_number(option->value, (struct record_text){word, length}))
        return true;
    message_print("%s: --%s: '%s' is not an offset: give a decimal number, 0x and hexadecimal digits, or the %u digits "
                  "that dump prints",
                  syntax->command, option->name, word, DUMP_DIGITS);
    return false;
}

static bool take_seconds(const struct syntax *syntax, const struct argument *option, const char *word)
{
    char *end;
    double seconds = strtod(word, &end);
    if (end != word && !*end && seconds >= 0 && seconds < 1e9) {
        *(double *)option->value = seconds;
        return true;
    }
    message_print("%s: --%s: '%s' is not a number of seconds", syntax->command, option->name, word);
    return false;
}

static bool take_size(const struct syntax *syntax, const struct argument *option, const char *word)
{
    static const char units[] = "KMGT";
    size_t length = strlen(word);
    const char *unit = length > 1 ? strchr(units, word[length - 1]) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    uint64_t number;
    if (text_number(&number, (struct record_text){word, length - (unit != NULL)}) && number > 0 &&
        number <= UINT64_MAX >> shift) {
        *(uint64_t *)option->value = number << shift;
        return true;
    }
    message_print("%s: --%s: '%s' is not a size: give a number of bytes, or a number and K, M, G or T", syntax->command,
                  option->name, word);
    return false;
}

static bool take_item(const struct syntax *syntax, const struct argument *option, const char *word)
{
    struct argument_list *list = option->value;
    if (list->count == ARGUMENT_LIST_MAX) {
        message_print("%s: --%s %s: at most %u such options are allowed", syntax->command, option->name, word,
                      ARGUMENT_LIST_MAX);
        return false;
    }
    list->items[list->count].name = option->name;
    list->items[list->count++].word = word;
    return true;
}

static bool take_choice(const struct syntax *syntax, const struct argument *option, const char *word)
{
    struct argument_choice *choice = option->value;
    char words[256] = "";
    for (size_t i = 0; choice->words[i]; i++) {
        if (!strcmp(choice->words[i], word)) {
            choice->chosen = i;
            return true;
        }
        snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s", i ? ", " : "", choice->words[i]);
    }
    message_print("%s: unknown %s '%s'; choose from %s", syntax->command, choice->noun ? choice->noun : option->name,
                  word, words);
    return false;
}

static bool take_option(const struct syntax *syntax, const struct argument *option, const char *word)
{
    switch (option->kind) {
    case ARGUMENT_TEXT:
        *(const char **)option->value = word;
        return true;
    case ARGUMENT_NUMBER:
        return take_number(syntax, option, word);
    case ARGUMENT_OFFSET:
        return take_offset(syntax, option, word);
    case ARGUMENT_SIZE:
        return take_size(syntax, option, word);
    case ARGUMENT_SECONDS:
        return take_seconds(syntax, option, word);
    case ARGUMENT_CHOICE:
        return take_choice(syntax, option, word);
    case ARGUMENT_LIST:
        return take_item(syntax, option, word);
    case ARGUMENT_FLAG:
        *(bool *)option->value = true;
        return true;
    }
    return false;
}

/* The table in the form of getopt_long, followed by --help and the terminating entry. */
struct getopt_table {
    struct option *options;
    char *letters;
};

static void table_free(struct getopt_table *table)
{
    free(table->options);
    free(table->letters);
}

static bool table_make(struct getopt_table *table, const struct syntax *syntax)
{
    table->options = calloc(syntax->nr_options + 2, sizeof(*table->options));
    table->letters = calloc(syntax->nr_options + 2, 2);
    if (table->options && table->letters)
        return true;
    message_print("%s: out of memory", syntax->command);
    table_free(table);
    return false;
}

static void table_fill(const struct getopt_table *table, const struct syntax *syntax)
{
    struct option *options = table->options;
    char *letters = table->letters;
    *letters++ = ':';
    *letters++ = 'h';
    for (size_t i = 0; i < syntax->nr_options; i++) {
        const struct argument *option = &syntax->options[i];
        *options++ = (struct option){option->name, option->kind != ARGUMENT_FLAG, NULL, FIRST_OPTION + (int)i};
        if (option->name[1] == '\0') {
            *letters++ = option->name[0];
            if (option->kind != ARGUMENT_FLAG)
                *letters++ = ':';
        }
    }
    *options = (struct option){"help", 0, NULL, HELP};
}

static const struct argument *find_option(const struct syntax *syntax, int found)
{
    for (size_t i = 0; i < syntax->nr_options; i++)
        if (found == FIRST_OPTION + (int)i || (found == syntax->options[i].name[0] && !syntax->options[i].name[1]))
            return &syntax->options[i];
    return NULL;
}

/* One option on each line: its name, and the kind of its value: none, number, choice with its words, or text. */
static void print_options(const struct syntax *syntax)
{
    for (size_t i = 0; i < syntax->nr_options; i++) {
        const struct argument *option = &syntax->options[i];
        const struct argument_choice *choice = option->kind == ARGUMENT_CHOICE ? option->value : NULL;
        const char *kind = option->kind == ARGUMENT_FLAG                                    ? ""
                           : option->kind == ARGUMENT_TEXT || option->kind == ARGUMENT_LIST ? " text"
                           : choice                                                         ? " choice"
                                                                                            : " number";
        printf("%s%s%s", option->name[1] ? "--" : "-", option->name, kind);
        for (size_t k = 0; choice && choice->words[k]; k++)
            printf(" %s", choice->words[k]);
        putchar('\n');
    }
    puts("--help");
}

/* Report too few arguments, or the first excess one. The usage's first line names them. */
static void report_count(const struct syntax *syntax, const char *too_many)
{
    const int length = (int)strcspn(syntax->usage, "\n");
    if (too_many)
        message_print("%s: unexpected argument '%s'; see undertrace %s --help", syntax->command, too_many,
                      syntax->command);
    else
        message_print("%s: missing argument; %.*s; see undertrace %s --help", syntax->command, length, syntax->usage,
                      syntax->command);
}

int arguments_parse(const struct syntax *syntax, int argc, char **argv, const char **words)
{
    return arguments_parse_list(syntax, argc, argv, words, syntax->nr_words);
}

/* Parse all options. Returns what arguments_parse_list returns. */
static int take_options(const struct syntax *syntax, const struct getopt_table *table, int argc, char **argv)
{
    int found;
    opterr = 0;
    optind = 0;
    while ((found = getopt_long(argc, argv, table->letters, table->options, NULL)) != -1) {
        const struct argument *option = find_option(syntax, found);
        if (found == HELP || found == 'h') {
            fputs(syntax->usage, stdout);
            return 0;
        }
        if (!option) {
            message_print(found == ':' ? "%s: option '%s' requires a value; see undertrace %s --help"
                                       : "%s: unknown option '%s'; undertrace %s --help lists the options",
                          syntax->command, argv[optind - 1], syntax->command);
            return 1;
        }
        if (!take_option(syntax, option, optarg))
            return 1;
    }
    return ARGUMENTS_GOOD;
}

int arguments_parse_list(const struct syntax *syntax, int argc, char **argv, const char **words, size_t max_words)
{
    struct getopt_table table;
    if (argc == 2 && !strcmp(argv[1], ARGUMENTS_COMPLETE)) {
        print_options(syntax);
        return 0;
    }
    if (!table_make(&table, syntax))
        return 1;
    table_fill(&table, syntax);
    const int status = take_options(syntax, &table, argc, argv);
    table_free(&table);
    if (status != ARGUMENTS_GOOD)
        return status;
    const size_t given = (size_t)(argc - optind);
    if (given > max_words || given < syntax->nr_words - syntax->nr_optional) {
        report_count(syntax, given > max_words ? argv[optind + (int)max_words] : NULL);
        return 1;
    }
    for (size_t i = 0; i < max_words; i++)
        words[i] = i < given ? argv[optind + (int)i] : NULL;
    return ARGUMENTS_GOOD;
}
