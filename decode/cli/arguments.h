/* The words behind a command: options by a table, and as many other words as the command takes. */
#ifndef DECODE_ARGUMENTS_H
#define DECODE_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

enum argument_kind {
    ARGUMENT_TEXT,    /* const char * */
    ARGUMENT_NUMBER,  /* uint64_t of at most max: decimal, or hexadecimal behind 0x */
    ARGUMENT_OFFSET,  /* uint64_t: the same, or 16 hexadecimal digits, as dump prints offsets */
    ARGUMENT_SECONDS, /* double */
    ARGUMENT_LIST,    /* struct argument_list: may be given several times */
    ARGUMENT_CHOICE,  /* struct argument_choice: one of its words */
    ARGUMENT_FLAG     /* bool: takes no word */
};

struct argument_choice {
    const char *const *words; /* NULL stands behind the last */
    size_t chosen;            /* which of them */
};

/* What was given, in order; of lists with the same value, all of them. */
#define ARGUMENT_LIST_MAX 256u
struct argument_list {
    struct {
        const char *name, *word; /* the option's name, and the word behind it */
    } items[ARGUMENT_LIST_MAX];
    size_t count;
};

struct argument {
    const char *name; /* --name; a single letter: -n */
    enum argument_kind kind;
    void *value; /* of the type that the kind says; left alone where the option is not given */
    uint64_t max;
};

struct syntax {
    const char *command;
    const char *usage; /* what --help prints */
    const struct argument *options;
    size_t nr_options, nr_words;
    size_t nr_optional; /* so many of the words may be left out: they are NULL then */
};

#define ARGUMENT_NOT_GIVEN UINT64_MAX /* for numbers that have no default */

/* What every decoding command takes. */
#define ARGUMENT_CPU(to)                                                                                               \
    {                                                                                                                  \
        "cpu", ARGUMENT_NUMBER, (to), CAPTURE_MAX_CPUS - 1                                                             \
    }
#define ARGUMENT_THREADS(to)                                                                                           \
    {                                                                                                                  \
        "threads", ARGUMENT_NUMBER, (to), 64                                                                           \
    }

#define ARGUMENTS_GOOD (-1)

/* The only word behind a command: print its options, one a line with what kind of word each takes, for shells to
 * complete what people type. It is in no help. */
#define ARGUMENTS_COMPLETE "--complete"

/* Sets the values, and words (nr_words of them). Returns ARGUMENTS_GOOD,
 * or the exit status: --help was answered, or what is wrong was said. */
int arguments_parse(const struct syntax *syntax, int argc, char **argv, const char **words);

/* The same with nr_words to max_words words; NULL stands behind fewer than max_words. */
int arguments_parse_list(const struct syntax *syntax, int argc, char **argv, const char **words, size_t max_words);

#endif
