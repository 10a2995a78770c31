/* Branches by name: sums, intervals, and the rows that are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "decode/live/live_table.h"

#define MANY 5000u

static void rows_add_up(void **state)
{
    (void)state;
    struct live_table table = {0};
    struct live_row top[4];
    live_table_add(&table, "a", 5);
    live_table_add(&table, "b", 7);
    live_table_add(&table, "a", 10);
    assert_int_equal(live_table_top(&table, LIVE_BY_ALL, top, 4), 2);
    assert_string_equal(top[0].text, "a");
    assert_int_equal(top[0].branches, 15);
    assert_string_equal(top[1].text, "b");
    assert_int_equal(table.branches, 22);
    live_table_free(&table);
}

static void an_interval_has_what_came_since_the_last(void **state)
{
    (void)state;
    struct live_table table = {0};
    struct live_row top[2];
    live_table_add(&table, "old", 100);
    live_table_turn(&table);
    assert_int_equal(table.now, 100);
    live_table_add(&table, "new", 3);
    live_table_add(&table, "old", 1);
    live_table_turn(&table);
    assert_int_equal(table.now, 4);
    assert_int_equal(live_table_top(&table, LIVE_BY_NOW, top, 2), 2);
    assert_string_equal(top[0].text, "new");
    assert_int_equal(top[0].now, 3);
    assert_int_equal(top[1].now, 1);
    assert_int_equal(live_table_top(&table, LIVE_BY_ALL, top, 2), 2);
    assert_string_equal(top[0].text, "old");
    live_table_turn(&table);
    assert_int_equal(table.now, 0);
    live_table_free(&table);
}

static void the_top_is_that_of_many_rows(void **state)
{
    (void)state;
    struct live_table table = {0};
    struct live_row top[3];
    char text[16];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "row %u", i * 7 % MANY);
        live_table_add(&table, text, i * 7 % MANY + 1);
    }
    assert_int_equal(table.used, MANY);
    assert_int_equal(table.branches, (uint64_t)MANY * (MANY + 1) / 2);
    assert_int_equal(live_table_top(&table, LIVE_BY_ALL, top, 3), 3);
    assert_int_equal(top[0].branches, MANY);
    assert_int_equal(top[2].branches, MANY - 2);
    assert_int_equal(live_table_top(&table, LIVE_BY_ALL, top, 0), 0);
    live_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(an_interval_has_what_came_since_the_last),
        cmocka_unit_test(the_top_is_that_of_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
