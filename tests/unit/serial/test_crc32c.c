/* CRC-32C: known vectors, and the definition by its polynomial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/wire/crc32c.h"

/* RFC 3720, appendix B.4; the check value of "123456789" is from catalogues of CRCs. */
static void known_vectors(void **state)
{
    uint8_t bytes[32];

    (void)state;
    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(crc32c("", 0), 0);
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x8a9136aa);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x62a8ab43);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)i;
    }
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x46dd794e);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(31 - i);
    }
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x113fdb5c);
}

static uint32_t bit_by_bit(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1; /* 1EDC6F41H, reflected */
        }
    }
    return ~crc;
}

static void every_byte_value(void **state)
{
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        uint8_t byte = (uint8_t)value;

        assert_int_equal(crc32c(&byte, 1), bit_by_bit(&byte, 1));
    }
}

/* The same by both ways, at each alignment and length around a turn of the loop. */
static void instruction_and_table_agree(void **state)
{
    uint8_t bytes[300];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * i + 7 * i);
    }
    for (size_t from = 0; from < 16; from++) {
        for (size_t size = 0; from + size <= sizeof(bytes); size++) {
            assert_int_equal(crc32c_update(0x12345678, bytes + from, size),
                             crc32c_update_by_table(0x12345678, bytes + from, size));
        }
    }
    assert_int_equal(crc32c_finish(crc32c_update_by_table(CRC32C_START, "123456789", 9)), 0xe3069283);
}

static void in_pieces(void **state)
{
    const char *text = "the quick brown fox jumps over the lazy dog";
    size_t size = strlen(text);

    (void)state;
    for (size_t cut = 0; cut <= size; cut++) {
        uint32_t crc = crc32c_update(CRC32C_START, text, cut);

        crc = crc32c_update(crc, text + cut, size - cut);
        assert_int_equal(crc32c_finish(crc), crc32c(text, size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_vectors),
        cmocka_unit_test(every_byte_value),
        cmocka_unit_test(instruction_and_table_agree),
        cmocka_unit_test(in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
