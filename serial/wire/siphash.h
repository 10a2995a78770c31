/*
 * SipHash-2-4 with a result of 128 bits: a keyed hash function for short messages, used as a message authentication
 * code. Core.
 *
 * Source: Aumasson, Bernstein, "SipHash: a fast short-input PRF" (INDOCRYPT 2012), and the authors' extension to 128
 * bits, whose test vectors are in tests/unit/serial/test_siphash.c.
 */
#ifndef SERIAL_WIRE_SIPHASH_H
#define SERIAL_WIRE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIPHASH_KEY_BYTES 16u
#define SIPHASH_BYTES 16u

struct siphash_key {
    uint64_t k0, k1; /* the 16 bytes, little-endian */
};

/* A hash that is not finished. */
struct siphash {
    uint64_t v[4];
    uint64_t size; /* bytes so far, a multiple of 8 */
};

void siphash_start(struct siphash *hash, const struct siphash_key *key);

/* Add size bytes, a multiple of 8. */
void siphash_add(struct siphash *hash, const void *bytes, size_t size);

/* Add the last bytes, any number, and write the result. */
void siphash_finish(struct siphash *hash, const void *bytes, size_t size, uint8_t result[SIPHASH_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
