/* A command's words: options, which a table describes, and positional arguments. */
#ifndef DECODE_ARGUMENTS_H
#define DECODE_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

enum argument_kind {
    ARGUMENT_TEXT,    /* const char * */
    ARGUMENT_NUMBER,  /* uint64_t of at most max: decimal, or hexadecimal after 0x */
    ARGUMENT_OFFSET,  /* uint64_t: the same, or the 16 hexadecimal digits of an offset that dump prints */
    ARGUMENT_SECONDS, /* double */
    ARGUMENT_SIZE,    /* uint64_t bytes, not 0: a decimal number, with K, M, G or T for powers of 1024 */
    ARGUMENT_LIST,    /* struct argument_list: the option may be repeated */
    ARGUMENT_CHOICE,  /* struct argument_choice: one of its words */
    ARGUMENT_FLAG     /* bool: has no value */
};

struct argument_choice {
    const char *const *words; /* NULL follows the last */
    size_t chosen;            /* index of the word; keeps its initial value where the option is not given */
    const char *noun;         /* what a word is, for messages: "format"; NULL: the option's name */
};

/* The options in the order given; several options may share one list. */
#define ARGUMENT_LIST_MAX 256u
struct argument_list {
    struct {
        const char *name, *word; /* the option's name and its value */
    } items[ARGUMENT_LIST_MAX];
    size_t count;
};

struct argument {
    const char *name; /* --name; a single letter: -n */
    enum argument_kind kind;
    void *value; /* its type depends on kind; unchanged where the option is not given */
    uint64_t max;
};

struct syntax {
    const char *command;
    const char *usage; /* the text of --help */
    const struct argument *options;
    size_t nr_options, nr_words;
    size_t nr_optional; /* how many of the last words may be omitted: those are NULL */
};

#define ARGUMENT_NOT_GIVEN UINT64_MAX /* for numbers that have no default */

/* Options of every decoding command. */
#define ARGUMENT_CPU(to)                                                                                               \
    {                                                                                                                  \
        "cpu", ARGUMENT_NUMBER, (to), CAPTURE_MAX_CPUS - 1                                                             \
    }
#define ARGUMENT_THREADS(to)                                                                                           \
    {                                                                                                                  \
        "threads", ARGUMENT_NUMBER, (to), 64                                                                           \
    }

#define ARGUMENTS_GOOD (-1)

/* COMMAND --complete prints the command's options for shell completion: one on each line, with the kind of its value.
 * No help lists it. */
#define ARGUMENTS_COMPLETE "--complete"

/* Set the options' values and the words (nr_words of them). Returns ARGUMENTS_GOOD, or the exit status after --help (0)
 * or after an error, which a message explains (1). */
int arguments_parse(const struct syntax *syntax, int argc, char **argv, const char **words);

/* The same for nr_words to max_words words; the rest of words is set to NULL. */
int arguments_parse_list(const struct syntax *syntax, int argc, char **argv, const char **words, size_t max_words);

#endif
