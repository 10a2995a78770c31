/* The stage: whatever the lengths, the bytes come out in order, in multiples of 8, padded with zeros. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pt/stage.h"

struct sink {
    uint8_t bytes[16384];
    uint32_t size, nr_calls;
};

static void give(void *context, const void *bytes, uint32_t size)
{
    struct sink *sink = context;
    assert_true(size != 0 && size % 8 == 0);
    assert_true(sink->size + size <= sizeof(sink->bytes));
    memcpy(sink->bytes + sink->size, bytes, size);
    sink->size += size;
    sink->nr_calls++;
}

static void put_three(uint32_t a, uint32_t b, uint32_t c)
{
    static uint8_t data[8192];
    struct sink sink = {.size = 0};
    struct stage stage = {.give = give, .context = &sink};
    uint32_t total = a + b + c;
    for (uint32_t i = 0; i < total; i++)
        data[i] = (uint8_t)(1 + i % 251);
    stage_put(&stage, data, a);
    stage_put(&stage, b ? data + a : NULL, b);
    stage_put(&stage, data + a + b, c);
    stage_finish(&stage);
    assert_int_equal(sink.size, (total + 7) / 8 * 8);
    assert_memory_equal(sink.bytes, data, total);
    for (uint32_t i = total; i < sink.size; i++)
        assert_int_equal(sink.bytes[i], 0);
}

static void test_all_lengths(void **state)
{
    (void)state;
    for (uint32_t a = 0; a <= 24; a += 3)
        for (uint32_t b = 0; b <= 140; b++)
            for (uint32_t c = 0; c <= 140; c++)
                put_three(a, b, c);
    for (uint32_t c = 4080; c < 4100; c++)
        put_three(24, 32, c);
}

/* A page record is three parts; the page itself must not be copied piecemeal. */
static void test_page_goes_in_one_piece(void **state)
{
    (void)state;
    static uint8_t page[4096];
    struct sink sink = {.size = 0};
    struct stage stage = {.give = give, .context = &sink};
    stage_put(&stage, page, 24);
    stage_put(&stage, page, 32);
    stage_put(&stage, page, 4096);
    stage_finish(&stage);
    assert_int_equal(sink.nr_calls, 2);
}

static void test_nothing(void **state)
{
    (void)state;
    struct sink sink = {.size = 0};
    struct stage stage = {.give = give, .context = &sink};
    stage_put(&stage, NULL, 0);
    stage_finish(&stage);
    assert_int_equal(sink.nr_calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_lengths),
        cmocka_unit_test(test_page_goes_in_one_piece),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
