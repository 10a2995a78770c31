/*
 * Authenticated frames: with a key that hypervisor and receiver share, each datagram has a tag, which cannot be made
 * without the key. Core. docs/wire.md, "Authentication", is the specification.
 *
 * Both sides choose a random number (a nonce) for each session, and derive two keys from the shared key and both nonces
 * (as AKEP2: Bellare, Rogaway, "Entity Authentication and Key Distribution", CRYPTO 1993): one for each direction. So
 * neither frames of an earlier session nor one's own frames are valid. Within a session a frame's number is part of
 * what the tag covers, extended to 64 bits, so that it does not repeat after 2^32 frames.
 */
#ifndef SERIAL_WIRE_AUTH_H
#define SERIAL_WIRE_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/frame.h"
#include "serial/wire/siphash.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AUTH_NONCE_BYTES 16u
#define AUTH_KEY_DIGITS 32u /* hexadecimal */

/* Payload of FRAME_OPEN: the sender's nonce. Of FRAME_OPENED: the same, and the receiver's. */
struct auth_nonces {
    uint8_t sender[AUTH_NONCE_BYTES], receiver[AUTH_NONCE_BYTES];
};

struct auth_session {
    struct siphash_key to_receiver, to_sender;
};

/* Parse AUTH_KEY_DIGITS digits. false: there is another character. */
bool auth_key_parse(struct siphash_key *key, const char *digits);

/* The keys of a session. */
void auth_session_derive(struct auth_session *session, const struct siphash_key *shared,
                         const struct auth_nonces *nonces);

/* The tag of a frame. number: its seq, extended to 64 bits; 0 if the key is the shared one. */
void auth_tag(uint8_t tag[FRAME_TAG_SIZE], const struct siphash_key *key, uint64_t number,
              const struct frame_header *header, const void *payload);

/* Turn a frame at bytes, a header and its payload, into a datagram with a tag, for which there is room after it.
 * Returns the size of the datagram. */
size_t auth_seal(uint8_t *bytes, const struct siphash_key *key, uint64_t number);

/* Has the datagram, which frame_parse has accepted, the right tag? Takes the same time whatever the tag is. */
bool auth_check(const uint8_t *datagram, const struct siphash_key *key, uint64_t number);

/* The 64-bit number of a frame, given that of another one which is less than 2^31 away. */
static inline uint64_t auth_number(uint64_t near, uint32_t seq)
{
    return near + (uint64_t)(int64_t)(int32_t)(seq - (uint32_t)near);
}

#ifdef __cplusplus
}
#endif

#endif
