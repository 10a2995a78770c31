/* The screen of a live decoding, in terminals of all sizes, and with escape sequences in names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decode/cli/text/screen.h"

static struct store_totals totals;
static struct flow_live_state decoded;
static struct live_view view;
static struct screen screen;

static void put_rows(struct live_list *list, const char *name, size_t count)
{
    *list = (struct live_list){.shown = count, .count = count, .now = 100, .branches = 10000};
    for (size_t i = 0; i < count; i++) {
        snprintf(list->lines[i].text, LIVE_TEXT, "%s_%zu", name, i);
        list->lines[i].now = count - i;
        list->lines[i].branches = 10 * (count - i);
    }
}

static int set_up(void **unused)
{
    (void)unused;
    totals = (struct store_totals){.trace_bytes = 3 << 20, .nr_cpus = 2, .drains = 7, .pages = 1};
    totals.cpus[0].trace_bytes = 2 << 20;
    totals.cpus[1] = (struct store_cpu_totals){1 << 20, true};
    decoded = (struct flow_live_state){.nr_cpus = 2};
    decoded.cpus[0] = (struct flow_live_cpu){.offset = 2 << 20, .branches = 1000};
    decoded.cpus[1] = (struct flow_live_cpu){.offset = 1 << 19, .branches = 234};
    memset(&view, 0, sizeof(view));
    put_rows(&view.functions, "function", LIVE_ROWS);
    put_rows(&view.processes, "process", LIVE_ROWS);
    view.khz = 1000;
    view.first_tsc = 1000000;
    view.last_tsc = 5000000;
    view.branches = 1234;
    view.marks[PROFILE_KERNEL] = (struct profile_marked){true, 2000000, 10};
    view.marks[PROFILE_USER] = (struct profile_marked){true, 4000000, 900};
    snprintf(view.places[0], sizeof(view.places[0]), "schedule+0x12");
    return 0;
}

static void make(unsigned columns, unsigned rows, const char *console, const char *message)
{
    const struct screen_state state = {.phase = "receiving",
                                       .directory = "captures/1",
                                       .seconds = 12,
                                       .totals = &totals,
                                       .wire_bytes = 4 << 20,
                                       .trace_rate = 1 << 20,
                                       .decoded = &decoded,
                                       .branch_rate = 500,
                                       .lag = 0.25,
                                       .view = &view,
                                       .console = console,
                                       .message = message};
    screen.columns = columns;
    screen.rows = rows;
    screen_make(&screen, &state);
    assert_in_range(screen.count, rows ? 1 : 0, rows);
    for (unsigned i = 0; i < screen.count; i++)
        assert_in_range(strlen(screen.lines[i]), 0, columns);
}

/* The number of the line with the text, from 1 on; 0: there is none. */
static unsigned find(const char *text)
{
    for (unsigned i = 0; i < screen.count; i++)
        if (strstr(screen.lines[i], text))
            return i + 1;
    return 0;
}

static void it_has_all_there_is(void **state)
{
    (void)state;
    make(80, 24, "login:", NULL);
    assert_string_equal(screen.lines[0], "undertrace: receiving 12 s  captures/1");
    assert_string_equal(screen.lines[1],
                        "received 3.00 MiB of trace, 1.00 MiB/s; wire: 4.00 MiB, 0 B/s; 7 regions, 1 page");
    assert_string_equal(screen.lines[2], "decoded  1,234 branches, 500/s; lag 512 KiB, 0.2 s");
    assert_string_equal(screen.lines[3], "lost     nothing");
    assert_string_equal(screen.lines[4], "phase    user space, for 1.0 s, since 3.0 s");
    assert_string_equal(screen.lines[5], "cpu 0    2.00 MiB  schedule+0x12");
    assert_string_equal(screen.lines[6], "cpu 1    1.00 MiB end  ");
    assert_string_equal(screen.lines[7], "    now   in all           branches  functions (64)");
    assert_string_equal(screen.lines[8], " 64.00%    6.40%                640  function_0");
    assert_true(find("processes (64)") > find("function_1"));
    assert_int_equal(find("console  login:"), 24);
    assert_int_equal(screen.count, 24);
}

static void it_fits_any_terminal(void **state)
{
    (void)state;
    make(40, 10, "console", "message");
    assert_int_equal(screen.count, 10);
    assert_true(find("function_0") > 0);
    make(200, 50, NULL, NULL);
    assert_int_equal(screen.count, 50);
    assert_true(find("before the kernel, for 1.0 s, since 0.0 s") < find("first code, for 2.0 s, since 1.0 s"));
    for (unsigned columns = 1; columns <= 120; columns++)
        for (unsigned rows = 1; rows <= 60; rows++)
            make(columns, rows, "console", "message");
    make(5000, 5000, NULL, NULL); /* of which it uses a part */
    assert_in_range(screen.count, 100, SCREEN_MAX_ROWS);
}

static void names_do_not_act_on_the_terminal(void **state)
{
    (void)state;
    snprintf(view.functions.lines[0].text, LIVE_TEXT,
             "a\033[2J\007b\x9b"
             "31m\r\nc");
    snprintf(view.places[0], sizeof(view.places[0]), "\033]0;title\007");
    make(80, 24, "\033[31mred", "\x7f");
    for (unsigned i = 0; i < screen.count; i++)
        for (const char *c = screen.lines[i]; *c; c++)
            assert_in_range(*c, ' ', '~');
    assert_true(find("a?[2J?b?31m??c") > 0);
}

static void what_is_lost_is_said(void **state)
{
    (void)state;
    totals.gaps = 2;
    totals.lost_trace_bytes = 2048;
    decoded.cpus[1].errors = 1;
    make(80, 24, NULL, NULL);
    assert_string_equal(screen.lines[3], "lost     2 gaps, 2.00 KiB; 0 frames on the wire; 1 decode gap");
    view.full = true;
    make(120, 24, NULL, NULL);
    assert_non_null(strstr(screen.lines[3], "out of memory: tables are incomplete"));
}

static void the_last_one_has_no_present(void **state)
{
    (void)state;
    view.last = true;
    make(80, 24, NULL, NULL);
    assert_string_equal(screen.lines[7], " in all           branches  functions (64)");
    assert_string_equal(screen.lines[8], "  6.40%                640  function_0");
}

#define SCREEN_TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCREEN_TEST(it_has_all_there_is),
        SCREEN_TEST(it_fits_any_terminal),
        SCREEN_TEST(names_do_not_act_on_the_terminal),
        SCREEN_TEST(what_is_lost_is_said),
        SCREEN_TEST(the_last_one_has_no_present),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
