/* Which runs of MAP records have a page of physical memory: the same as a search through all of them finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/code/code_mapped.h"

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define MOST 70u

static struct record_map_run runs[MOST];
static struct code_map maps[MOST];
static size_t nr_maps;

static int reset(void **state)
{
    (void)state;
    nr_maps = 0;
    return 0;
}

/* A map of one run of so many pages from a page of memory on. */
static void put(uint64_t page, uint32_t pages)
{
    runs[nr_maps] = (struct record_map_run){.linear = 0x400000 + PAGE * page, .gpa = PAGE * page, .pages = pages};
    maps[nr_maps] = (struct code_map){.number = nr_maps + 1, .runs = &runs[nr_maps], .nr_runs = 1};
    nr_maps++;
}

/* How many runs have an address, each found once, in the order that is promised. */
static size_t found_at(const struct code_mapped *mapped, uint64_t gpa)
{
    const struct mapped_run *last = NULL;
    size_t count = 0;
    CODE_MAPPED_EACH(found, mapped, gpa)
    {
        assert_true(found->gpa <= gpa && gpa < found->end);
        assert_true(found->run >= found->map->runs && found->run < found->map->runs + found->map->nr_runs);
        assert_true(!last || last->gpa < found->gpa ||
                    (last->gpa == found->gpa && last->map->number <= found->map->number));
        last = found;
        count++;
    }
    return count;
}

static size_t have(uint64_t gpa)
{
    size_t count = 0;
    for (size_t i = 0; i < nr_maps; i++)
        for (size_t run = 0; run < maps[i].nr_runs && !maps[i].wide.pages; run++)
            count += gpa >= maps[i].runs[run].gpa && gpa < maps[i].runs[run].gpa + PAGE * maps[i].runs[run].pages;
    return count;
}

static void found(uint64_t gpa, size_t times)
{
    struct code_mapped mapped;
    assert_true(code_mapped_build(&mapped, maps, nr_maps));
    assert_int_equal(found_at(&mapped, gpa), times);
    code_mapped_free(&mapped);
}

static void without_maps_nothing_is_found(void **state)
{
    (void)state;
    found(0, 0);
    found(UINT64_MAX, 0);
}

static void a_run_has_its_first_byte_and_its_last(void **state)
{
    (void)state;
    put(5, 2);
    found(5 * PAGE - 1, 0);
    found(5 * PAGE, 1);
    found(7 * PAGE - 1, 1);
    found(7 * PAGE, 0);
}

static void memory_from_0_on_to_its_end(void **state)
{
    (void)state;
    put(0, 1);
    put((1ull << 40) - 1, 1); /* the last page of physical addresses */
    found(0, 1);
    found(PAGE, 0);
    found((1ull << 52) - 1, 1);
    found(1ull << 52, 0);
}

/* What begins far before, and what begins between it and the address, is not what ends before it. */
static void long_runs_around_short_ones(void **state)
{
    (void)state;
    put(0, 512);
    for (uint64_t page = 1; page < 30; page++)
        put(page, 1);
    put(30, 200);
    for (uint64_t page = 31; page < 60; page++)
        put(page, 1);
    found(30 * PAGE - 1, 2);
    found(60 * PAGE, 2);
    found(230 * PAGE, 1);
    found(512 * PAGE, 0);
}

/* One file in many spaces: each of them, by their numbers. */
static void each_of_many_that_are_alike(void **state)
{
    (void)state;
    for (size_t n = 0; n < 33; n++)
        put(7, 3);
    found(6 * PAGE, 0);
    found(7 * PAGE, 33);
    found(9 * PAGE, 33);
    found(10 * PAGE, 0);
}

static void all_runs_of_a_map_but_none_of_a_large_page(void **state)
{
    (void)state;
    put(5, 1);
    put(9, 1);
    maps[0].nr_runs = 2;
    maps[1] = (struct code_map){.number = 2, .runs = runs, .nr_runs = 2, .wide = {.gpa = 0, .pages = 512}};
    found(5 * PAGE, 1);
    found(9 * PAGE, 1);
    found(7 * PAGE, 0);
}

static void as_a_search_through_all(void **state)
{
    (void)state;
    srand(1);
    for (unsigned round = 0; round < 200; round++) {
        struct code_mapped mapped;
        nr_maps = 0;
        for (size_t n = (size_t)rand() % MOST; n; n--)
            put((uint64_t)rand() % 64, rand() % 8 ? 1 + (uint32_t)rand() % 3 : 1 + (uint32_t)rand() % 64);
        assert_true(code_mapped_build(&mapped, maps, nr_maps));
        for (uint64_t page = 0; page < 130; page++)
            assert_int_equal(found_at(&mapped, PAGE * page), have(PAGE * page));
        code_mapped_free(&mapped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_maps_nothing_is_found, reset),
        cmocka_unit_test_setup(a_run_has_its_first_byte_and_its_last, reset),
        cmocka_unit_test_setup(memory_from_0_on_to_its_end, reset),
        cmocka_unit_test_setup(long_runs_around_short_ones, reset),
        cmocka_unit_test_setup(each_of_many_that_are_alike, reset),
        cmocka_unit_test_setup(all_runs_of_a_map_but_none_of_a_large_page, reset),
        cmocka_unit_test_setup(as_a_search_through_all, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
