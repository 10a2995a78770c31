/* Frame headers: round trip, detection of each single bit error, and the names of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/wire/crc32c.h"
#include "serial/wire/frame.h"

static struct frame_header example(uint16_t length)
{
    struct frame_header header = {.kind = FRAME_TRACE,
                                  .cpu = 3,
                                  .stream_id = 0x12345678,
                                  .seq = 0xfffffffe,
                                  .offset = 0x123456789abcdef0,
                                  .length = length,
                                  .flags = FRAME_ACK_REQUEST};

    frame_header_seal(&header);
    return header;
}

static void layout_on_the_wire(void **state)
{
    static const uint8_t expected[28] = {'U',  'T',  'F',  0x1a, 3,    1,    3,    0,    0x78, 0x56,
                                         0x34, 0x12, 0xfe, 0xff, 0xff, 0xff, 0xf0, 0xde, 0xbc, 0x9a,
                                         0x78, 0x56, 0x34, 0x12, 0x05, 0x01, 1,    0};
    struct frame_header header = example(0x105);

    (void)state;
    assert_memory_equal(&header, expected, sizeof(expected));
    assert_int_equal(header.crc, crc32c(expected, sizeof(expected)));
}

static void round_trip(void **state)
{
    uint8_t bytes[FRAME_HEADER_SIZE + 5] = {0};
    struct frame_header header = example(5);
    struct frame_header parsed;

    (void)state;
    memcpy(bytes, &header, sizeof(header));
    assert_int_equal(frame_header_parse(&parsed, bytes, sizeof(bytes)), FRAME_OK);
    assert_memory_equal(&parsed, &header, sizeof(header));
    for (size_t size = 0; size < sizeof(bytes); size++) {
        memset(&parsed, 0, sizeof(parsed));
        assert_int_equal(frame_header_parse(&parsed, bytes, size), FRAME_SHORT);
        assert_int_equal(parsed.length, size < FRAME_HEADER_SIZE ? 0 : 5);
    }
}

static void every_wrong_bit_is_found(void **state)
{
    struct frame_header header = example(0);
    struct frame_header parsed;

    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof(header); bit++) {
        uint8_t bytes[FRAME_HEADER_SIZE];
        enum frame_error error;

        memcpy(bytes, &header, sizeof(header));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        error = frame_header_parse(&parsed, bytes, sizeof(bytes));
        assert_int_equal(error, bit < 32 ? FRAME_BAD_MAGIC : FRAME_BAD_CRC);
    }
}

static enum frame_error parse_after(struct frame_header header)
{
    struct frame_header parsed;
    uint8_t bytes[FRAME_HEADER_SIZE + 256] = {0};

    header.crc = crc32c(&header, offsetof(struct frame_header, crc));
    memcpy(bytes, &header, sizeof(header));
    return frame_header_parse(&parsed, bytes, sizeof(bytes));
}

static void fields_out_of_range(void **state)
{
    struct frame_header header = example(0);

    (void)state;
    assert_int_equal(parse_after(header), FRAME_OK);
    header.version = FRAME_PACKED_VERSION + 1;
    assert_int_equal(parse_after(header), FRAME_BAD_VERSION);
    header = example(0);
    header.kind = 0;
    assert_int_equal(parse_after(header), FRAME_BAD_KIND);
    header.kind = FRAME_OPENED + 1;
    assert_int_equal(parse_after(header), FRAME_BAD_KIND);
    header = example(FRAME_MAX_PAYLOAD + 1);
    assert_int_equal(parse_after(header), FRAME_BAD_LENGTH);
    header = example(FRAME_MAX_PAYLOAD);
    assert_int_equal(parse_after(header), FRAME_SHORT);
}

/* Data frames of version 4 only. */
static void compressed_frames_have_a_version(void **state)
{
    struct frame_header header = example(0);

    (void)state;
    for (unsigned kind = 0; kind < 256; kind++) {
        const unsigned base = kind & ~(FRAME_TAGGED | FRAME_PACKED);
        const bool packed = (kind & FRAME_PACKED) != 0;
        const bool known = base >= FRAME_TRACE && base <= (packed ? FRAME_RECORDS : FRAME_OPENED);

        header.kind = (uint8_t)kind;
        header.version = FRAME_VERSION;
        assert_int_equal(parse_after(header), known && !packed ? FRAME_OK : FRAME_BAD_KIND);
        header.version = FRAME_PACKED_VERSION;
        assert_int_equal(parse_after(header), known ? FRAME_OK : FRAME_BAD_KIND);
        assert_int_equal(frame_is_data(&header), known && base <= FRAME_RECORDS && (kind & FRAME_TAGGED) == 0);
    }
    assert_int_equal(frame_most_bytes(&header), FRAME_MAX_PLAIN);
    header.version = FRAME_VERSION;
    assert_int_equal(frame_most_bytes(&header), FRAME_MAX_PAYLOAD);
}

static void acknowledgement_has_up_to_16_words(void **state)
{
    struct frame_header header = example(sizeof(struct frame_ack));

    (void)state;
    header.kind = FRAME_ACK;
    assert_int_equal(parse_after(header), FRAME_OK);
    header.length = 0;
    assert_int_equal(parse_after(header), FRAME_OK);
    header.length = sizeof(struct frame_ack) - 1;
    assert_int_equal(parse_after(header), FRAME_BAD_LENGTH);
    header.length = sizeof(struct frame_ack) + 8;
    assert_int_equal(parse_after(header), FRAME_BAD_LENGTH);
}

/* A datagram: no bit of header and payload may be wrong, and nothing may be missing or follow. */
static void every_wrong_bit_of_a_datagram_is_found(void **state)
{
    uint8_t bytes[FRAME_HEADER_SIZE + 21], wrong[sizeof(bytes) + 1] = {0};
    struct frame_header header = example(21), parsed;

    (void)state;
    for (size_t i = FRAME_HEADER_SIZE; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 37);
    }
    memcpy(bytes, &header, sizeof(header));
    frame_seal_again(bytes);
    assert_int_equal(frame_parse(&parsed, bytes, sizeof(bytes)), FRAME_OK);
    frame_seal(&header, bytes + FRAME_HEADER_SIZE);
    assert_memory_equal(&parsed, &header, sizeof(header));
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
        memcpy(wrong, bytes, sizeof(bytes));
        wrong[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(frame_parse(&parsed, wrong, sizeof(bytes)), FRAME_OK);
    }
    memcpy(wrong, bytes, sizeof(bytes));
    for (size_t size = 0; size < sizeof(bytes); size++) {
        assert_int_equal(frame_parse(&parsed, wrong, size), FRAME_SHORT);
    }
    assert_int_equal(frame_parse(&parsed, wrong, sizeof(wrong)), FRAME_BAD_LENGTH);
}

/* What the UDP checksum does not find. */
static void exchanged_words_are_found(void **state)
{
    uint8_t bytes[FRAME_HEADER_SIZE + 8];
    struct frame_header header = example(8), parsed;

    (void)state;
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + FRAME_HEADER_SIZE, "abcdefgh", 8);
    frame_seal_again(bytes);
    memcpy(bytes + FRAME_HEADER_SIZE, "cdabefgh", 8);
    assert_int_equal(frame_parse(&parsed, bytes, sizeof(bytes)), FRAME_BAD_CRC);
}

/* The CRC of versions 1 and 2 is that of the header. */
static void datagrams_of_other_versions_are_recognized(void **state)
{
    uint8_t bytes[FRAME_HEADER_SIZE + 8] = {0};
    struct frame_header header = example(8), parsed;

    (void)state;
    for (uint8_t version = 1; version < 6; version++) {
        memcpy(bytes, &header, sizeof(header));
        frame_seal_again(bytes);
        memcpy(&parsed, bytes, sizeof(parsed));
        parsed.version = version;
        parsed.crc = crc32c(&parsed, 28);
        if (version >= 3) {
            parsed.crc = crc32c_finish(crc32c_update(crc32c_update(CRC32C_START, bytes + 32, 8), &parsed, 28));
        }
        memcpy(bytes, &parsed, sizeof(parsed));
        assert_int_equal(frame_parse(&parsed, bytes, sizeof(bytes)),
                         version == FRAME_VERSION || version == FRAME_PACKED_VERSION ? FRAME_OK : FRAME_BAD_VERSION);
        bytes[8] ^= 1;
        assert_int_equal(frame_parse(&parsed, bytes, sizeof(bytes)), FRAME_BAD_CRC);
    }
}

static void errors_have_names(void **state)
{
    (void)state;
    for (int a = FRAME_OK; a <= FRAME_BAD_LENGTH; a++) {
        for (int b = FRAME_OK; b < a; b++) {
            assert_string_not_equal(frame_error_name((enum frame_error)a), frame_error_name((enum frame_error)b));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_on_the_wire),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(every_wrong_bit_is_found),
        cmocka_unit_test(fields_out_of_range),
        cmocka_unit_test(compressed_frames_have_a_version),
        cmocka_unit_test(acknowledgement_has_up_to_16_words),
        cmocka_unit_test(every_wrong_bit_of_a_datagram_is_found),
        cmocka_unit_test(exchanged_words_are_found),
        cmocka_unit_test(datagrams_of_other_versions_are_recognized),
        cmocka_unit_test(errors_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
