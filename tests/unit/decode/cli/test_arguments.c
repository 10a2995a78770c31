/* A command's words: which are accepted, which are refused, and the messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/cli/arguments.h"

#define MAX_WORDS 8

struct values {
    const char *text, *directory, *words[2];
    uint64_t number, offset;
    double seconds;
    uint64_t size;
    bool flag;
    char message[512]; /* on standard error */
};

/* Parse words up to NULL; two positional arguments must remain. */
static int parse(struct values *v, const char *const *given)
{
    const struct argument options[] = {
        {"text", ARGUMENT_TEXT, &v->text, 0},       {"number", ARGUMENT_NUMBER, &v->number, 100},
        {"offset", ARGUMENT_OFFSET, &v->offset, 0}, {"seconds", ARGUMENT_SECONDS, &v->seconds, 0},
        {"size", ARGUMENT_SIZE, &v->size, 0},       {"flag", ARGUMENT_FLAG, &v->flag, 0},
        {"o", ARGUMENT_TEXT, &v->directory, 0},
    };
    const struct syntax syntax = {"try", "usage: try\n", options, sizeof(options) / sizeof(options[0]), 2, 0};
    char *argv[MAX_WORDS + 2] = {strdup("try")};
    int argc = 1, pipes[2], saved = dup(STDERR_FILENO);
    *v = (struct values){.number = 7};
    for (; given[argc - 1]; argc++)
        argv[argc] = strdup(given[argc - 1]);
    assert_int_equal(pipe(pipes), 0);
    dup2(pipes[1], STDERR_FILENO);
    int status = arguments_parse(&syntax, argc, argv, v->words);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(pipes[1]);
    ssize_t size = read(pipes[0], v->message, sizeof(v->message) - 1);
    assert_true(size >= 0);
    close(pipes[0]);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return status;
}

#define PARSE(v, ...) parse((v), (const char *const[]){__VA_ARGS__, NULL})

static void options_and_words_are_accepted(void **state)
{
    struct values v;
    (void)state;
    assert_int_equal(PARSE(&v, "--number", "0x10", "first", "--flag", "--seconds=1.5", "-o", "second"), 1);
    assert_int_equal(PARSE(&v, "--number", "0x10", "--flag", "--seconds=1.5", "-o", "there", "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.number, 16);
    assert_true(v.flag && v.seconds > 1.4 && v.seconds < 1.6);
    assert_int_equal(PARSE(&v, "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.number, 7); /* the default */
    assert_int_equal(PARSE(&v, "a"), 1);
    assert_string_equal(v.message, "undertrace: try: missing argument; usage: try; see undertrace try --help\n");
    assert_int_equal(PARSE(&v, "a", "--flag", "b", "c"), 1);
    assert_string_equal(v.message, "undertrace: try: unexpected argument 'c'; see undertrace try --help\n");
    assert_int_equal(PARSE(&v, "--help"), 0);
}

/* Each error is one line with the option, the word, and what is expected. */
static void errors_are_explained(void **state)
{
    struct values v;
    (void)state;
    assert_int_equal(PARSE(&v, "--number", "abc", "a", "b"), 1);
    assert_string_equal(v.message, "undertrace: try: --number: 'abc' is not a number from 0 to 100\n");
    assert_int_equal(PARSE(&v, "--number", "101", "a", "b"), 1);
    assert_string_equal(v.message, "undertrace: try: --number: '101' is not a number from 0 to 100\n");
    assert_int_equal(PARSE(&v, "--size", "3G", "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.size, 3ull << 30);
    assert_int_equal(PARSE(&v, "--size", "1000", "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.size, 1000);
    assert_int_equal(PARSE(&v, "--size", "K", "a", "b"), 1);
    assert_int_equal(PARSE(&v, "--size", "0", "a", "b"), 1);
    assert_int_equal(PARSE(&v, "--size", "16777216T", "a", "b"), 1);
    assert_string_equal(v.message, "undertrace: try: --size: '16777216T' is not a size: give a number of bytes, or a "
                                   "number and K, M, G or T\n");
    assert_int_equal(PARSE(&v, "--seconds", "soon", "a", "b"), 1);
    assert_string_equal(v.message, "undertrace: try: --seconds: 'soon' is not a number of seconds\n");
    assert_int_equal(PARSE(&v, "--baud", "9600", "a", "b"), 1);
    assert_string_equal(v.message,
                        "undertrace: try: unknown option '--baud'; undertrace try --help lists the options\n");
    assert_int_equal(PARSE(&v, "--text"), 1);
    assert_string_equal(v.message, "undertrace: try: option '--text' requires a value; see undertrace try --help\n");
}

/* Lines of dump begin with the 16 digits. */
static void offsets_have_the_formats_of_dump(void **state)
{
    struct values v;
    (void)state;
    assert_int_equal(PARSE(&v, "--offset", "0000000000001234", "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.offset, 0x1234);
    assert_int_equal(PARSE(&v, "--offset", "00000000000abcde", "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.offset, 0xabcde);
    assert_int_equal(PARSE(&v, "--offset", "1234", "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.offset, 1234);
    assert_int_equal(PARSE(&v, "--offset", "0x1234", "a", "b"), ARGUMENTS_GOOD);
    assert_int_equal(v.offset, 0x1234);
    assert_int_equal(PARSE(&v, "--offset", "12ab", "a", "b"), 1);
    assert_non_null(strstr(v.message, "--offset: '12ab' is not an offset"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_words_are_accepted),
        cmocka_unit_test(errors_are_explained),
        cmocka_unit_test(offsets_have_the_formats_of_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
