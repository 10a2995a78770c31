/* Captures of the size that long traces have: nothing may take the square of a number of records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define NR_SPACES 300u
#define NR_MAPS 10000u
#define NR_PAGES 100000u
#define SECONDS 120u /* of this process's CPU time: many times what it needs; quadratic time would be hours */

static uint8_t contents[256][RECORD_PAGE_SIZE];
static struct record_map_run runs[NR_MAPS][2];

static void limit_seconds(unsigned seconds)
{
    const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    assert_int_equal(setitimer(ITIMER_VIRTUAL, &limit, NULL), 0);
}

static int fill(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 256; i++)
        memset(contents[i], (int)i, sizeof(contents[i]));
    limit_seconds(SECONDS);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    limit_seconds(0);
    return 0;
}

static struct page_record *new_pages(void)
{
    struct page_record *pages = calloc(NR_PAGES, sizeof(*pages));
    assert_non_null(pages);
    for (size_t i = 0; i < NR_PAGES; i++) {
        pages[i].number = pages[i].from = i + 1;
        pages[i].bytes = contents[i % 256];
        pages[i].file_offset = i * PAGE;
    }
    return pages;
}

/* A shared page that changes all the time, and is executed at another address each time. */
static void one_page_at_all_addresses(void **state)
{
    struct page_record *pages = new_pages();
    struct code_pages all;
    (void)state;
    for (size_t i = 0; i < NR_PAGES; i++) {
        pages[i].gpa = 0x5000;
        pages[i].gva = 0x10000000 + i * PAGE;
    }
    assert_true(code_pages_build(&all, pages, NR_PAGES, NULL, 0));
    for (size_t i = 0; i < NR_PAGES; i++) {
        const struct code_found found = code_pages_find(&all, CODE_SPACE_UNKNOWN, i + 1, 0x10000000 + i / 2 * PAGE);
        assert_int_equal(found.page->bytes[0], i % 256);
        assert_true(found.until == (i + 1 < NR_PAGES ? i + 2 : UINT64_MAX));
    }
    code_pages_free(&all);
}

/* All spaces have the same stretch, each with memory of its own, and again and again. */
static void all_spaces_at_one_address(void **state)
{
    struct page_record *pages = new_pages();
    struct code_map *maps = calloc(NR_MAPS, sizeof(*maps));
    struct code_pages all;
    (void)state;
    assert_non_null(maps);
    for (size_t i = 0; i < NR_PAGES; i++) {
        pages[i].space = (1 + i % NR_SPACES) * PAGE;
        pages[i].gpa = 0x10000000 + i % NR_SPACES * PAGE;
        pages[i].gva = USER + i % 7 * PAGE;
    }
    for (size_t i = 0; i < NR_MAPS; i++) {
        size_t space = i % NR_SPACES;
        runs[i][0] = (struct record_map_run){USER, 0x10000000 + space * PAGE, 1, 0, 12};
        runs[i][1] = (struct record_map_run){USER + 2 * PAGE, 0x10000000 + (i % 2 ? space : 0) * PAGE, 1, 0, 12};
        maps[i] = (struct code_map){.space = (1 + space) * PAGE,
                                    .linear = USER,
                                    .size = 2 << 20,
                                    .number = NR_PAGES + i + 1,
                                    .from = NR_PAGES + i + 1,
                                    .earliest = NR_PAGES + i + 1,
                                    .runs = runs[i],
                                    .nr_runs = 2};
    }
    assert_true(code_pages_build(&all, pages, NR_PAGES, maps, NR_MAPS));
    assert_int_equal(all.mappings, 2 * NR_MAPS);
    for (size_t i = 0; i < NR_MAPS; i++) {
        size_t space = i % NR_SPACES;
        const struct code_found found =
            code_pages_find(&all, (1 + space) * PAGE, NR_PAGES + NR_MAPS, USER + i % 2 * 2 * PAGE);
        assert_non_null(found.page);
        assert_int_equal(found.page->gpa, 0x10000000 + space * PAGE);
        assert_false(found.inferred);
        /* For a space without records, all others are candidates. */
        assert_null(code_pages_find(&all, (2 + NR_SPACES) * PAGE, NR_PAGES + NR_MAPS, USER).page);
    }
    code_pages_free(&all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fill, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_page_at_all_addresses),
        TEST(all_spaces_at_one_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
