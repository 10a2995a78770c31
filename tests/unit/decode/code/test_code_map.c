/* RECORD_MAP: what is in it, and records that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define LINEAR 0x7f0000200000ull
#define TOP 0xffffffffffe00000ull /* the last stretch of all */

static struct {
    struct record_map head;
    struct record_map_run runs[3];
} payload;
static size_t length;

static int good_record(void **state)
{
    (void)state;
    memset(&payload, 0, sizeof(payload));
    payload.head =
        (struct record_map){.cr3 = A, .linear = LINEAR, .size = 2 << 20, .fault_offset = 90, .number = 7, .runs = 3};
    payload.runs[0] = (struct record_map_run){LINEAR, 0x5000, 2, RECORD_MAP_USER, 12};
    payload.runs[1] = (struct record_map_run){LINEAR + 0x2000, 0x100000, 1, RECORD_MAP_USER, 12};
    payload.runs[2] = (struct record_map_run){LINEAR + 0x1ff000, 0x200000, 1, RECORD_MAP_USER, 12};
    length = sizeof(payload);
    return 0;
}

static enum code_map_error parse(struct code_map *map)
{
    return code_map_parse(map, (const uint8_t *)&payload, length, 100);
}

static void is_refused(enum code_map_error error)
{
    struct code_map map;
    assert_int_equal(parse(&map), error);
    assert_string_not_equal(code_map_error_text(error), code_map_error_text(CODE_MAP_OK));
    good_record(NULL);
    assert_int_equal(parse(&map), CODE_MAP_OK);
}

static void a_record_has_pages(void **state)
{
    struct code_map map, wide;
    uint64_t gpa = 0;
    (void)state;
    assert_int_equal(parse(&map), CODE_MAP_OK);
    assert_int_equal(map.space, A);
    assert_int_equal(map.number, 7);
    assert_true(code_map_find(&gpa, &map, LINEAR + 0x1000) && gpa == 0x6000);
    assert_true(code_map_find(&gpa, &map, LINEAR + 0x2000) && gpa == 0x100000);
    assert_true(code_map_find(&gpa, &map, LINEAR + 0x1ff000) && gpa == 0x200000);
    assert_false(code_map_find(&gpa, &map, LINEAR + 0x3000));
    assert_false(code_map_find(&gpa, &map, LINEAR - 0x1000));
    assert_false(code_map_find(&gpa, &map, LINEAR + 0x200000));
    assert_false(code_map_widen(&wide, &map, 0));
}

static void a_stretch_may_be_empty_or_the_last(void **state)
{
    struct code_map map;
    uint64_t gpa;
    (void)state;
    payload.head.runs = 0;
    length = sizeof(payload.head);
    assert_int_equal(parse(&map), CODE_MAP_OK);
    assert_false(code_map_find(&gpa, &map, LINEAR));
    payload.head.runs = 1;
    payload.head.linear = payload.runs[0].linear = TOP;
    payload.runs[0].gpa = 0;
    payload.runs[0].pages = 512;
    length += sizeof(payload.runs[0]);
    assert_int_equal(parse(&map), CODE_MAP_OK);
    assert_true(code_map_find(&gpa, &map, UINT64_MAX - 0xfff) && gpa == 0x1ff000);
    payload.head.runs = 2;
    length += sizeof(payload.runs[0]);
    payload.runs[1].linear = TOP + 0x1000;
    is_refused(CODE_MAP_ORDER);
}

static void lengths_that_do_not_fit(void **state)
{
    (void)state;
    length = sizeof(payload.head) - 1;
    is_refused(CODE_MAP_SHORT);
    length = 0;
    is_refused(CODE_MAP_SHORT);
    length -= 1;
    is_refused(CODE_MAP_LENGTH);
    length -= sizeof(payload.runs[0]);
    is_refused(CODE_MAP_LENGTH);
    payload.head.runs = 2;
    is_refused(CODE_MAP_LENGTH);
    payload.head.runs = 3 + (1u << 29); /* times 24 it is the same in 32 bits */
    is_refused(CODE_MAP_LENGTH);
}

static void heads_that_cannot_be(void **state)
{
    (void)state;
    payload.head.cr3 |= 1ull << 63;
    is_refused(CODE_MAP_CR3);
    payload.head.cr3 |= 0x18; /* PWT, PCD */
    is_refused(CODE_MAP_CR3);
    payload.head.cr3 |= 1ull << 52;
    is_refused(CODE_MAP_CR3);
    payload.head.linear += 8;
    is_refused(CODE_MAP_STRETCH);
    payload.head.size = 0;
    is_refused(CODE_MAP_STRETCH);
    payload.head.size += 1;
    is_refused(CODE_MAP_STRETCH);
    payload.head.size = 1ull << 31;
    is_refused(CODE_MAP_STRETCH);
    payload.head.linear = UINT64_MAX - 0xfff;
    is_refused(CODE_MAP_STRETCH);
    payload.head.fault_offset = 101;
    is_refused(CODE_MAP_OFFSET);
    payload.head.number = 0;
    is_refused(CODE_MAP_NUMBER);
}

static void runs_that_cannot_be(void **state)
{
    (void)state;
    payload.runs[2].page_shift = 13;
    is_refused(CODE_MAP_PAGE_SIZE);
    payload.runs[2].page_shift = 255;
    is_refused(CODE_MAP_PAGE_SIZE);
    payload.runs[1].linear += 16;
    is_refused(CODE_MAP_ALIGNMENT);
    payload.runs[1].gpa += 16;
    is_refused(CODE_MAP_ALIGNMENT);
    payload.runs[1].page_shift = 21; /* 2 MiB pages have the same offset in both */
    is_refused(CODE_MAP_ALIGNMENT);
    payload.runs[0].pages = 0;
    is_refused(CODE_MAP_EMPTY);
    payload.runs[0].linear -= 0x1000;
    is_refused(CODE_MAP_OUTSIDE);
    payload.runs[2].linear += 0x1000;
    is_refused(CODE_MAP_OUTSIDE);
    payload.runs[2].pages = 2;
    is_refused(CODE_MAP_OUTSIDE);
    payload.runs[2].pages = UINT32_MAX;
    is_refused(CODE_MAP_OUTSIDE);
    payload.runs[1].linear = LINEAR + 0x1000;
    is_refused(CODE_MAP_ORDER);
    payload.runs[1].linear = LINEAR + 0x1ff000;
    is_refused(CODE_MAP_ORDER);
    payload.runs[0].gpa = (1ull << 52) - 0x1000;
    is_refused(CODE_MAP_PHYSICAL);
    payload.runs[0].gpa = 1ull << 52;
    is_refused(CODE_MAP_PHYSICAL);
}

static void a_capture_with_one_is_refused(void **state)
{
    struct capture_record record = {.header = {.kind = RECORD_MAP, .length = (uint32_t)length, .trace_offset = 100},
                                    .events_offset = 4711,
                                    .payload = (const uint8_t *)&payload};
    const struct capture capture = {
        .directory = (char *)(uintptr_t) "none", .nr_cpus = 1, .records = &record, .nr_records = 1};
    struct code_pages pages;
    struct error error = {0};
    (void)state;
    assert_true(code_pages_collect(&pages, &capture, 0, &error));
    assert_int_equal(pages.mappings, 3);
    code_pages_free(&pages);
    payload.runs[0].pages = 0;
    assert_false(code_pages_collect(&pages, &capture, 0, &error));
    assert_int_equal(error.kind, ERROR_MAP_RECORD);
    assert_int_equal(error.number, 4711);
    assert_string_equal(error.name, code_map_error_text(CODE_MAP_EMPTY));
}

#define TEST(name) cmocka_unit_test_setup(name, good_record)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_record_has_pages),      TEST(a_stretch_may_be_empty_or_the_last),
        TEST(lengths_that_do_not_fit), TEST(heads_that_cannot_be),
        TEST(runs_that_cannot_be),     TEST(a_capture_with_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
