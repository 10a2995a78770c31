/* Compression of frames: liblz4 decompresses every block to the same bytes, and each block keeps LZ4's rules for the
 * end of a block, on which other decoders may rely. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lz4.h>

#include "serial/wire/frame.h"
#include "serial/wire/lz4.h"

static struct lz4_table table; /* as in the hypervisor it keeps what earlier blocks have left */
static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

/* A length in a sequence: 4 bits, and more bytes if they are all ones. */
static uint32_t length_at(const uint8_t **at, uint32_t bits)
{
    uint32_t length = bits;
    if (bits == 15) {
        do {
            length += **at;
        } while (*(*at)++ == 255);
    }
    return length;
}

/* The last five bytes are literals, and the last match begins at least twelve bytes before the end. */
static void check_end(const uint8_t *block, struct lz4_block size)
{
    const uint8_t *at = block, *end = block + size.packed;
    uint32_t plain = 0, match = 0, literals = 0;
    bool matches = false;

    while (at < end) {
        const uint8_t token = *at++;
        literals = length_at(&at, token >> 4);
        at += literals;
        plain += literals;
        if (at == end) {
            break;
        }
        at += 2;
        match = plain;
        matches = true;
        plain += 4 + length_at(&at, token & 15);
        assert_true(at < end); /* the last sequence has no match */
    }
    assert_int_equal(plain, size.plain);
    if (matches) {
        assert_true(literals >= 5);
        assert_true(plain - match >= 12);
    }
}

/* Compress all bytes, block by block. The copies end where the sanitizer notices an access beyond. Returns the bytes of
 * the blocks. */
static size_t pack_all(const uint8_t *bytes, size_t size, uint32_t room)
{
    size_t packed = 0;

    for (size_t done = 0; done < size;) {
        const uint32_t left = (uint32_t)(size - done);
        uint8_t *from = malloc(left), *block = malloc(room), *back = malloc(LZ4_PIECE_MAX);
        assert_non_null(from);
        assert_non_null(block);
        assert_non_null(back);
        memcpy(from, bytes + done, left);
        const struct lz4_block made = lz4_pack(&table, block, room, from, left);
        const uint32_t least = room - 2 - room / 255;

        assert_in_range(made.plain, left < least ? left : least, left < LZ4_PIECE_MAX ? left : LZ4_PIECE_MAX);
        assert_in_range(made.packed, 1, room);
        check_end(block, made);
        assert_int_equal(LZ4_decompress_safe((const char *)block, (char *)back, (int)made.packed, LZ4_PIECE_MAX),
                         made.plain);
        assert_memory_equal(back, from, made.plain);
        done += made.plain;
        packed += made.packed;
        free(from);
        free(block);
        free(back);
    }
    return packed;
}

static const uint32_t rooms[] = {LZ4_ROOM_MIN, 536, 1024, 1440, 8944, FRAME_MAX_PAYLOAD};
#define NR_ROOMS (sizeof(rooms) / sizeof(rooms[0]))

static void random_bytes_do_not_shrink(void **state)
{
    static uint8_t bytes[200000];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)random_below(256);
    }
    for (size_t room = 0; room < NR_ROOMS; room++) {
        assert_in_range(pack_all(bytes, sizeof(bytes), rooms[room]), sizeof(bytes), sizeof(bytes) + sizeof(bytes) / 30);
        assert_false(lz4_shrinks(lz4_pack(&table, (uint8_t[FRAME_MAX_PAYLOAD]){0}, rooms[room], bytes, sizeof(bytes))));
    }
}

/* TNT packets of loops, TIP packets with few targets, and a PSB now and then. */
static size_t make_trace(uint8_t *bytes, size_t size)
{
    static const uint8_t psb[16] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};
    size_t at = 0;

    while (at + 64 < size) {
        const uint32_t loop = random_below(40);
        for (uint32_t i = 0; i < loop && at + 64 < size; i++) {
            bytes[at++] = (uint8_t)(0xaa - (loop & 6));
        }
        bytes[at] = (uint8_t)(0x2d + 32 * (loop & 1));
        memcpy(bytes + at + 1, &(uint16_t){(uint16_t)(0x1000 + 16 * random_below(12))}, 2);
        at += 3;
        if (random_below(200) == 0) {
            memcpy(bytes + at, psb, sizeof(psb));
            at += sizeof(psb);
        }
    }
    return at;
}

static void trace_shrinks(void **state)
{
    static uint8_t bytes[300000];
    const size_t size = make_trace(bytes, sizeof(bytes));

    (void)state;
    for (size_t room = 1; room < NR_ROOMS; room++) {
        assert_true(pack_all(bytes, size, rooms[room]) * 2 < size);
    }
    pack_all(bytes, size, rooms[0]);
}

/* Parts that shrink, and parts that do not, of all sizes. */
static void mixtures(void **state)
{
    static uint8_t bytes[100000];

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        for (size_t at = 0; at < sizeof(bytes);) {
            const uint32_t size = 1 + random_below(1u << random_below(15)), values = 1 + random_below(256);
            for (uint32_t i = 0; i < size && at < sizeof(bytes); i++) {
                bytes[at++] = (uint8_t)random_below(values);
            }
        }
        pack_all(bytes, 1 + random_below(sizeof(bytes)), LZ4_ROOM_MIN + random_below(FRAME_MAX_PAYLOAD - LZ4_ROOM_MIN));
    }
}

static void every_small_size(void **state)
{
    static uint8_t bytes[400];

    (void)state;
    for (uint32_t values = 1; values <= 4; values++) {
        for (size_t size = 0; size < sizeof(bytes); size++) {
            bytes[size] = (uint8_t)random_below(values);
            pack_all(bytes, size + 1, LZ4_ROOM_MIN + (uint32_t)size);
        }
    }
    const struct lz4_block none = lz4_pack(&table, (uint8_t[LZ4_ROOM_MIN]){0}, LZ4_ROOM_MIN, bytes, 0);
    assert_int_equal(none.plain, 0);
    assert_false(lz4_shrinks(none));
}

/* The longest matches and literals, and a match at the largest distance. */
static void the_largest(void **state)
{
    static uint8_t bytes[4 * LZ4_PIECE_MAX], block[LZ4_PIECE_MAX];

    (void)state;
    const struct lz4_block zeros = lz4_pack(&table, block, FRAME_MAX_PAYLOAD, bytes, sizeof(bytes));
    assert_int_equal(zeros.plain, LZ4_PIECE_MAX);
    assert_in_range(zeros.packed, LZ4_PIECE_MAX / 255, LZ4_PIECE_MAX / 255 + 32);
    pack_all(bytes, sizeof(bytes), FRAME_MAX_PAYLOAD);
    pack_all(bytes, sizeof(bytes), LZ4_ROOM_MIN);
    for (size_t i = 0; i < LZ4_PIECE_MAX; i++) {
        bytes[i] = (uint8_t)random_below(256);
    }
    memcpy(bytes + LZ4_PIECE_MAX - 1000, bytes, 1000);
    pack_all(bytes, LZ4_PIECE_MAX, LZ4_PIECE_MAX);
    pack_all(bytes, sizeof(bytes), LZ4_PIECE_MAX);
}

/* Whatever is in the table: it was never cleared, or belongs to bytes that are gone. */
static void any_table_will_do(void **state)
{
    static uint8_t bytes[100000];
    const size_t size = make_trace(bytes, sizeof(bytes));

    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        for (size_t i = 0; i < sizeof(table.at) / sizeof(table.at[0]); i++) {
            table.at[i] = (uint16_t)random_below(1u << 16);
        }
        pack_all(bytes, size, 1440);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes_do_not_shrink),
        cmocka_unit_test(trace_shrinks),
        cmocka_unit_test(mixtures),
        cmocka_unit_test(every_small_size),
        cmocka_unit_test(the_largest),
        cmocka_unit_test(any_table_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
