/* SipHash-2-4 with 128 bits: the authors' vectors (vectors_sip128 of their reference code): the key is the bytes 0 to
 * 15, and vector n that of the bytes 0 to n - 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/wire/auth.h"
#include "serial/wire/siphash.h"

static struct siphash_key key_of_vectors(void)
{
    struct siphash_key key = {0};
    assert_true(auth_key_parse(&key, "000102030405060708090a0b0c0d0e0F"));
    return key;
}

static void hash_of(uint8_t result[SIPHASH_BYTES], const uint8_t *bytes, size_t size, size_t first)
{
    const struct siphash_key key = key_of_vectors();
    struct siphash hash;
    siphash_start(&hash, &key);
    siphash_add(&hash, bytes, first);
    siphash_finish(&hash, bytes + first, size - first, result);
}

static void published_vectors(void **state)
{
    static const struct {
        size_t size;
        uint8_t result[SIPHASH_BYTES];
    } vectors[] = {
        {0, {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93}},
        {1, {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45}},
        {2, {0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a, 0xff, 0xe4}},
        {3, {0x9c, 0x70, 0xb6, 0x0c, 0x52, 0x67, 0xa9, 0x4e, 0x5f, 0x33, 0xb6, 0xb0, 0x29, 0x85, 0xed, 0x51}},
        {4, {0xf8, 0x81, 0x64, 0xc1, 0x2d, 0x9c, 0x8f, 0xaf, 0x7d, 0x0f, 0x6e, 0x7c, 0x7b, 0xcd, 0x55, 0x79}},
        {5, {0x13, 0x68, 0x87, 0x59, 0x80, 0x77, 0x6f, 0x88, 0x54, 0x52, 0x7a, 0x07, 0x69, 0x0e, 0x96, 0x27}},
        {6, {0x14, 0xee, 0xca, 0x33, 0x8b, 0x20, 0x86, 0x13, 0x48, 0x5e, 0xa0, 0x30, 0x8f, 0xd7, 0xa1, 0x5e}},
        {7, {0xa1, 0xf1, 0xeb, 0xbe, 0xd8, 0xdb, 0xc1, 0x53, 0xc0, 0xb8, 0x4a, 0xa6, 0x1f, 0xf0, 0x82, 0x39}},
        {8, {0x3b, 0x62, 0xa9, 0xba, 0x62, 0x58, 0xf5, 0x61, 0x0f, 0x83, 0xe2, 0x64, 0xf3, 0x14, 0x97, 0xb4}},
        {9, {0x26, 0x44, 0x99, 0x06, 0x0a, 0xd9, 0xba, 0xab, 0xc4, 0x7f, 0x8b, 0x02, 0xbb, 0x6d, 0x71, 0xed}},
        {15, {0x54, 0x93, 0xe9, 0x99, 0x33, 0xb0, 0xa8, 0x11, 0x7e, 0x08, 0xec, 0x0f, 0x97, 0xcf, 0xc3, 0xd9}},
        {16, {0x6e, 0xe2, 0xa4, 0xca, 0x67, 0xb0, 0x54, 0xbb, 0xfd, 0x33, 0x15, 0xbf, 0x85, 0x23, 0x05, 0x77}},
        {31, {0x29, 0x39, 0xb0, 0x18, 0x32, 0x23, 0xfa, 0xfc, 0x17, 0x23, 0xde, 0x4f, 0x52, 0xc4, 0x3d, 0x35}},
        {63, {0x51, 0x50, 0xd1, 0x77, 0x2f, 0x50, 0x83, 0x4a, 0x50, 0x3e, 0x06, 0x9a, 0x97, 0x3f, 0xbd, 0x7c}},
    };
    uint8_t bytes[64], result[SIPHASH_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)i;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        for (size_t first = 0; first <= vectors[i].size; first += 8) {
            hash_of(result, bytes, vectors[i].size, first);
            assert_memory_equal(result, vectors[i].result, sizeof(result));
        }
}

static void keys_are_digits(void **state)
{
    struct siphash_key key = key_of_vectors();
    (void)state;
    assert_int_equal(key.k0, 0x0706050403020100);
    assert_int_equal(key.k1, 0x0f0e0d0c0b0a0908);
    assert_false(auth_key_parse(&key, "000102030405060708090a0b0c0d0e0g"));
    assert_false(auth_key_parse(&key, "000102030405060708090a0b0c0d0e0"));
    assert_int_equal(key.k0, 0x0706050403020100);
}

/* Each bit of a datagram, its number and the key matter. */
static void tags_cover_everything(void **state)
{
    struct siphash_key key = key_of_vectors(), other = key;
    uint8_t bytes[FRAME_HEADER_SIZE + FRAME_TAG_SIZE + 13] = {0};
    struct frame_header header = {.kind = FRAME_TRACE, .stream_id = 7, .seq = 5, .length = 13}, parsed;
    (void)state;
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + FRAME_HEADER_SIZE, "thirteen byte", 13);
    assert_int_equal(auth_seal(bytes, &key, 5), sizeof(bytes));
    assert_int_equal(frame_parse(&parsed, bytes, sizeof(bytes)), FRAME_OK);
    assert_int_equal(parsed.kind, FRAME_TRACE | FRAME_TAGGED);
    assert_memory_equal(bytes + frame_payload_at(&parsed), "thirteen byte", 13);
    assert_true(auth_check(bytes, &key, 5));
    assert_false(auth_check(bytes, &key, 5 + (1ull << 32)));
    other.k1 ^= 1ull << 63;
    assert_false(auth_check(bytes, &other, 5));
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(frame_parse(&parsed, bytes, sizeof(bytes)) == FRAME_OK && auth_check(bytes, &key, 5));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(auth_check(bytes, &key, 5));
}

static void sessions_differ(void **state)
{
    const struct siphash_key key = key_of_vectors();
    struct auth_nonces nonces = {.sender = {1}, .receiver = {2}};
    struct auth_session one, two;
    (void)state;
    auth_session_derive(&one, &key, &nonces);
    assert_memory_not_equal(&one.to_receiver, &one.to_sender, sizeof(one.to_sender));
    for (unsigned i = 0; i < sizeof(nonces); i++) {
        ((uint8_t *)&nonces)[i] ^= 0x80;
        auth_session_derive(&two, &key, &nonces);
        assert_memory_not_equal(&one.to_receiver, &two.to_receiver, sizeof(one.to_receiver));
        assert_memory_not_equal(&one.to_sender, &two.to_sender, sizeof(one.to_sender));
        ((uint8_t *)&nonces)[i] ^= 0x80;
    }
}

static void numbers_are_extended(void **state)
{
    (void)state;
    assert_int_equal(auth_number(0, 0), 0);
    assert_int_equal(auth_number(5, 3), 3);
    assert_int_equal(auth_number(0xffffffff, 1), 0x100000001);
    assert_int_equal(auth_number(0x100000001, 0xfffffffe), 0xfffffffe);
    assert_int_equal(auth_number(0x700000000, 0x7fffffff), 0x77fffffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),     cmocka_unit_test(keys_are_digits),
        cmocka_unit_test(tags_cover_everything), cmocka_unit_test(sessions_differ),
        cmocka_unit_test(numbers_are_extended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
