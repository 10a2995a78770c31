/* Kind: core, hot */
#include "serial/wire/siphash.h"

#define WORD_BYTES sizeof(uint64_t)

static inline uint64_t rotated(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline __attribute__((always_inline)) void do_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] = rotated(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[2] = rotated(v[2], 32);
}

static inline __attribute__((always_inline)) void compress(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    do_round(v);
    do_round(v);
    v[0] ^= word;
}

static uint64_t finalize(uint64_t v[4])
{
    for (unsigned i = 0; i < 4; i++) {
        do_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void siphash_start(struct siphash *hash, const struct siphash_key *key)
{
    hash->v[0] = 0x736f6d6570736575 ^ key->k0;
    hash->v[1] = 0x646f72616e646f6d ^ key->k1 ^ 0xee; /* EEH here and below: a result of 128 bits */
    hash->v[2] = 0x6c7967656e657261 ^ key->k0;
    hash->v[3] = 0x7465646279746573 ^ key->k1;
    hash->size = 0;
}

void siphash_add(struct siphash *hash, const void *bytes, size_t size)
{
    uint64_t v[4] = {hash->v[0], hash->v[1], hash->v[2], hash->v[3]};
    const uint8_t *at = bytes;

    hash->size += size;
    for (; size >= WORD_BYTES; size -= WORD_BYTES, at += WORD_BYTES) {
        uint64_t word;

        __builtin_memcpy(&word, at, sizeof(word));
        compress(v, word);
    }
    __builtin_memcpy(hash->v, v, sizeof(v));
}

void siphash_finish(struct siphash *hash, const void *bytes, size_t size, uint8_t result[SIPHASH_BYTES])
{
    const size_t whole = size & ~(WORD_BYTES - 1);
    const uint8_t *rest = (const uint8_t *)bytes + whole;

    siphash_add(hash, bytes, whole);
    uint64_t last = (hash->size + (size - whole)) << 56;
    for (size_t i = 0; i < size - whole; i++) {
        last |= (uint64_t)rest[i] << 8 * i;
    }
    compress(hash->v, last);
    hash->v[2] ^= 0xee;
    uint64_t half = finalize(hash->v);
    __builtin_memcpy(result, &half, sizeof(half));
    hash->v[1] ^= 0xdd;
    half = finalize(hash->v);
    __builtin_memcpy(result + sizeof(half), &half, sizeof(half));
}
