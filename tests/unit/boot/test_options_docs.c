/* docs/options.md and the tables of boot/options/ list the same options, with the same defaults and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/options/option.h"

#define NR_MAX 100

/* A row of a table in docs/options.md: "| `NAME` | VALUES | `DEFAULT` | MEANING |". */
struct doc_row {
    char line[2048];
    char name[64];
    char initial[64];
    const char *values; /* in line */
};

static struct doc_row rows[NR_MAX];
static size_t nr_rows;

/* Copy what is between the first two backticks of text. */
static void copy_quoted(char to[64], const char *text)
{
    const char *start = strchr(text, '`');
    assert_non_null(start);
    const char *end = strchr(++start, '`');
    assert_non_null(end);
    assert_in_range(end - start, 1, 63);
    memcpy(to, start, (size_t)(end - start));
    to[end - start] = 0;
}

/* "`pt.range0` to `pt.range3`" is an abbreviation for four rows. */
static char last_digit(const char *cell)
{
    const char *to = strstr(cell, "` to `");
    char name[64];
    if (!to)
        return 0;
    copy_quoted(name, to + 5);
    return name[strlen(name) - 1];
}

static void add_rows(const char line[2048])
{
    struct doc_row row = {.values = NULL};
    strcpy(row.line, line);
    char *values = strstr(row.line, " | "), *initial = values ? strstr(values + 3, " | ") : NULL;
    assert_non_null(initial);
    *values = *initial = 0;
    copy_quoted(row.name, row.line);
    copy_quoted(row.initial, initial + 3);
    char *digit = &row.name[strlen(row.name) - 1];
    const char last = last_digit(row.line) ? last_digit(row.line) : *digit;
    for (; *digit <= last; ++*digit) {
        assert_in_range(nr_rows, 0, NR_MAX - 1);
        rows[nr_rows] = row;
        rows[nr_rows].values = rows[nr_rows].line + (values + 3 - row.line);
        nr_rows++;
    }
}

static int read_docs(void **state)
{
    char line[2048];
    FILE *file = fopen("docs/options.md", "r");
    (void)state;
    if (!file)
        fail_msg("docs/options.md: run this test from the top of the tree");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "| `", 3) == 0)
            add_rows(line);
    fclose(file);
    return 0;
}

static const struct doc_row *doc_of(const struct option *option)
{
    for (size_t i = 0; i < nr_rows; i++)
        if (strcmp(rows[i].name, option->name) == 0)
            return &rows[i];
    fail_msg("docs/options.md does not list %s", option->name);
    return NULL;
}

static void the_same_options(void **state)
{
    size_t nr = 0;
    (void)state;
    for (const struct option *option; (option = option_at(nr)); nr++)
        assert_string_equal(doc_of(option)->initial, option->initial);
    assert_in_range(nr, 40, NR_MAX);
    assert_int_equal(nr, nr_rows); /* and none twice, or in docs/options.md only */
}

static void assert_names(const struct doc_row *row, const char *value)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "`%s`", value);
    if (!strstr(row->values, quoted))
        fail_msg("docs/options.md, %s: \"%s\" does not name %s", row->name, row->values, quoted);
}

static void assert_names_number(const struct doc_row *row, const struct option *option, uint64_t number)
{
    char text[32];
    const bool mib = number % (1 << 20) == 0;
    if (option->set == option_set_size)
        snprintf(text, sizeof text, "%u%c", (unsigned)(number >> (mib ? 20 : 10)), mib ? 'M' : 'K');
    else
        snprintf(text, sizeof text, "%u", (unsigned)number);
    assert_names(row, text);
}

static void the_same_limits(void **state)
{
    const struct option *option;
    (void)state;
    for (size_t i = 0; (option = option_at(i)); i++) {
        const struct doc_row *row = doc_of(option);
        for (size_t word = 0; option->words && option->words[word]; word++)
            assert_names(row, option->words[word]);
        if (option->max != 0) {
            assert_names_number(row, option, option->min);
            assert_names_number(row, option, option->max);
        }
    }
}

/* options_default relies on it. */
static void defaults_are_valid(void **state)
{
    struct options options = {.net_port = 0};
    const struct option *option;
    (void)state;
    for (size_t i = 0; (option = option_at(i)); i++)
        if (!option->set(option, &options, (struct value_text){option->initial, strlen(option->initial)}))
            fail_msg("%s=%s is invalid", option->name, option->initial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_options),
        cmocka_unit_test(the_same_limits),
        cmocka_unit_test(defaults_are_valid),
    };
    return cmocka_run_group_tests(tests, read_docs, NULL);
}
