/* Numbers as bytes, and bytes that are no numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/pack.h"

static const uint64_t numbers[] = {0,          1,          0x7f,           0x80,       0x3fff,
                                   0x4000,     UINT32_MAX, 1ull << 62,     1ull << 63, UINT64_MAX - 1,
                                   UINT64_MAX, 5,          0xdeadbeefcafe, 0};
#define COUNT (sizeof(numbers) / sizeof(numbers[0]))

static void what_is_read_was_written(void **state)
{
    struct pack pack = {0};
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        pack_number(&pack, numbers[i]);
        pack_near(&pack, numbers[i], numbers[COUNT - 1 - i]);
    }
    pack_bytes(&pack, "bytes", 5);
    struct packed packed = {.at = pack.bytes, .end = pack.bytes + pack.size};
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(packed_number(&packed), numbers[i]);
        assert_int_equal(packed_near(&packed, numbers[COUNT - 1 - i]), numbers[i]);
    }
    assert_memory_equal(packed_bytes(&packed, 5), "bytes", 5);
    assert_false(packed.bad);
    assert_ptr_equal(packed.at, packed.end);
    pack_free(&pack);
}

/* As DWARF's unsigned LEB128. */
static void the_bytes_are_leb128(void **state)
{
    static const uint8_t wanted[] = {0x02, 0x7f, 0x80, 0x01, 0x81, 0x01, 0xe5, 0x8e, 0x26, 0x01, 0x02};
    struct pack pack = {0};
    (void)state;
    pack_number(&pack, 2);
    pack_number(&pack, 127);
    pack_number(&pack, 128);
    pack_number(&pack, 129);
    pack_number(&pack, 624485);
    pack_near(&pack, 6, 7);
    pack_near(&pack, 8, 7);
    assert_int_equal(pack.size, sizeof(wanted));
    assert_memory_equal(pack.bytes, wanted, sizeof(wanted));
    pack_free(&pack);
}

static void bad_bytes_read_as_0(void **state)
{
    static const struct {
        uint8_t bytes[12];
        size_t size;
    } cases[] = {{{0x80}, 1}, /* it ends within the number */
                 {{0}, 0},
                 {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 10}, /* more than 64 bits */
                 {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 11}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct packed packed = {.at = cases[i].bytes, .end = cases[i].bytes + cases[i].size};
        assert_int_equal(packed_number(&packed), 0);
        assert_true(packed.bad);
        assert_int_equal(packed_number(&packed), 0);
        assert_int_equal(packed_near(&packed, 7), 0);
        assert_null(packed_bytes(&packed, 0));
    }
}

static void limits_are_checked(void **state)
{
    static const uint8_t bytes[] = {4, 5, 1};
    struct packed packed = {.at = bytes, .end = bytes + sizeof(bytes)};
    (void)state;
    assert_int_equal(packed_below(&packed, 5), 4);
    assert_false(packed.bad);
    assert_int_equal(packed_below(&packed, 5), 0);
    assert_true(packed.bad);
    packed = (struct packed){.at = bytes, .end = bytes + sizeof(bytes)};
    assert_null(packed_bytes(&packed, 4));
    assert_true(packed.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_was_written),
                                       cmocka_unit_test(the_bytes_are_leb128), cmocka_unit_test(bad_bytes_read_as_0),
                                       cmocka_unit_test(limits_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
