/* Kind: core, hot */
#include "serial/wire/auth.h"

_Static_assert(FRAME_TAG_SIZE == SIPHASH_BYTES, "docs/wire.md: a tag has 16 bytes");

static bool hex_digit(uint64_t *value, char c)
{
    if (c >= '0' && c <= '9') {
        *value = (uint64_t)(c - '0');
    } else if ((c | 32) >= 'a' && (c | 32) <= 'f') {
        *value = (uint64_t)((c | 32) - 'a') + 10;
    } else {
        return false;
    }
    return true;
}

bool auth_key_parse(struct siphash_key *key, const char *digits)
{
    uint64_t words[2] = {0, 0};

    for (unsigned i = 0; i < AUTH_KEY_DIGITS; i++) {
        uint64_t value;

        if (!hex_digit(&value, digits[i])) {
            return false;
        }
        /* Two digits are a byte, the first of them its upper half. */
        words[i / 16] |= value << (8 * (i % 16 / 2) + (i % 2 == 0 ? 4 : 0));
    }
    *key = (struct siphash_key){words[0], words[1]};
    return true;
}

static void derive(struct siphash_key *key, const struct siphash_key *shared, const char label[16],
                   const struct auth_nonces *nonces)
{
    struct siphash hash;

    siphash_start(&hash, shared);
    siphash_add(&hash, label, 16);
    siphash_finish(&hash, nonces, sizeof(*nonces), (uint8_t *)key);
}

void auth_session_derive(struct auth_session *session, const struct siphash_key *shared,
                         const struct auth_nonces *nonces)
{
    derive(&session->to_receiver, shared, "Undertrace frame", nonces);
    derive(&session->to_sender, shared, "Undertrace reply", nonces);
}

void auth_tag(uint8_t tag[FRAME_TAG_SIZE], const struct siphash_key *key, uint64_t number,
              const struct frame_header *header, const void *payload)
{
    struct siphash hash;

    siphash_start(&hash, key);
    siphash_add(&hash, &number, sizeof(number));
    siphash_add(&hash, header, sizeof(*header));
    siphash_finish(&hash, payload, header->length, tag);
}

size_t auth_seal(uint8_t *bytes, const struct siphash_key *key, uint64_t number)
{
    uint8_t *payload = bytes + FRAME_HEADER_SIZE + FRAME_TAG_SIZE;
    struct frame_header header;

    __builtin_memcpy(&header, bytes, sizeof(header));
    __builtin_memmove(payload, bytes + FRAME_HEADER_SIZE, header.length);
    header.kind |= FRAME_TAGGED;
    frame_header_seal(&header);
    __builtin_memcpy(bytes, &header, sizeof(header));
    auth_tag(bytes + FRAME_HEADER_SIZE, key, number, &header, payload);
    return FRAME_HEADER_SIZE + FRAME_TAG_SIZE + header.length;
}

bool auth_check(const uint8_t *datagram, const struct siphash_key *key, uint64_t number)
{
    struct frame_header header;
    uint8_t tag[FRAME_TAG_SIZE], differ = 0;

    __builtin_memcpy(&header, datagram, sizeof(header));
    auth_tag(tag, key, number, &header, datagram + FRAME_HEADER_SIZE + FRAME_TAG_SIZE);
    for (unsigned i = 0; i < FRAME_TAG_SIZE; i++) {
        differ |= tag[i] ^ datagram[FRAME_HEADER_SIZE + i];
    }
    return differ == 0;
}
