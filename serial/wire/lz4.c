/* Kind: core, hot */
/*
 * A block is a series of sequences: a token with two lengths of four bits, more bytes for a length of 15 or more,
 * literal bytes, and the distance of a match. The last sequence has only literals. A match has four bytes or more. The
 * last match begins at least 12 bytes before the end of the plain bytes, and the last 5 are literals.
 */
#include "serial/wire/lz4.h"

#define MATCH_LEAST 4u
#define END_LITERALS 12u             /* at the end of each block that has matches: with so many, both rules hold */
#define END_BYTES (1 + END_LITERALS) /* of the last sequence: its token, and these */
#define LENGTH_MASK 15u
#define SKIP_SHIFT 5u /* after 32 positions without a match every second is tried, then every third */

static inline uint32_t smaller_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t load32(const uint8_t *at)
{
    uint32_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint64_t load64(const uint8_t *at)
{
    uint64_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}

/* Of six bytes, so that what is found is often longer than four. Knuth's multiplicative hashing, with 2^64 divided by
 * the golden ratio. */
static inline uint32_t hash_of(uint64_t bytes)
{
    return (uint32_t)((bytes << 16) * 0x9e3779b97f4a7c15u >> (64 - LZ4_HASH_BITS));
}

/* The bytes of a length after its token. */
static inline uint32_t more_bytes(uint32_t length)
{
    return length < LENGTH_MASK ? 0 : 1 + (length - LENGTH_MASK) / 255;
}

static inline uint8_t *put_more(uint8_t *to, uint32_t length)
{
    if (length < LENGTH_MASK) {
        return to;
    }
    for (length -= LENGTH_MASK; length >= 255; length -= 255) {
        *to++ = 255;
    }
    *to++ = (uint8_t)length;
    return to;
}

/* How many bytes at a equal those at b, at most up to end. Reads up to 7 bytes beyond it. */
static inline uint32_t same_bytes(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *at = a;

    while (at < end) {
        const uint64_t differ = load64(at) ^ load64(b + (at - a));

        if (differ != 0) {
            at += __builtin_ctzll(differ) / 8;
            break;
        }
        at += sizeof(differ);
    }
    return (uint32_t)((at < end ? at : end) - a);
}

struct packing {
    struct lz4_table *table;
    uint8_t *to;
    const uint8_t *to_end;
    const uint8_t *start, *at; /* of the plain bytes */
    const uint8_t *matches_end;
};

struct match {
    const uint8_t *at;
    uint32_t distance;
};

/* A match may have begun before the position at which it was found. */
static inline struct match extend_back(const struct packing *p, const uint8_t *at, uint32_t distance)
{
    const uint8_t *earlier = at - distance;

    while (at > p->at && earlier > p->start && at[-1] == earlier[-1]) {
        at--;
        earlier--;
    }
    return (struct match){at, distance};
}

/* Find the next match at or after p->at. false: none is found before end. */
static inline bool find_match(const struct packing *p, const uint8_t *end, struct match *match)
{
    uint32_t misses = 1u << SKIP_SHIFT;

    for (const uint8_t *at = p->at; at < end; at += misses++ >> SKIP_SHIFT) {
        const uint64_t bytes = load64(at);
        uint16_t *entry = &p->table->at[hash_of(bytes)];
        const uint32_t distance = (uint16_t)((uint16_t)(uintptr_t)at - *entry);

        *entry = (uint16_t)(uintptr_t)at;
        if (distance - 1 < (uint32_t)(at - p->start) && load32(at - distance) == (uint32_t)bytes) {
            *match = extend_back(p, at, distance);
            return true;
        }
    }
    return false;
}

/* Append the literals from p->at up to the match, and the match. false: there is no room for it and a last sequence. */
static inline bool put_sequence(struct packing *p, const struct match *match)
{
    const uint32_t literals = (uint32_t)(match->at - p->at);
    const uint32_t same =
        MATCH_LEAST + same_bytes(match->at + MATCH_LEAST, match->at + MATCH_LEAST - match->distance, p->matches_end);
    const uint32_t rest = same - MATCH_LEAST;
    uint8_t *to = p->to + 1;

    if (1 + more_bytes(literals) + literals + 2 + more_bytes(rest) + END_BYTES > (uint32_t)(p->to_end - p->to)) {
        return false;
    }
    *p->to = (uint8_t)(smaller_of(literals, LENGTH_MASK) << 4 | smaller_of(rest, LENGTH_MASK));
    to = put_more(to, literals);
    /* Eight at a time: both sides have room for a few more, as a last sequence follows. */
    for (uint32_t i = 0; i < literals; i += 8) {
        __builtin_memcpy(to + i, p->at + i, 8);
    }
    to += literals;
    *to++ = (uint8_t)match->distance;
    *to++ = (uint8_t)(match->distance >> 8);
    p->to = put_more(to, rest);
    p->at = match->at + same;
    return true;
}

/* Append a last sequence, with as many literals as fit. */
static inline void put_last(struct packing *p, const uint8_t *end)
{
    uint32_t most = (uint32_t)(p->to_end - p->to) - 1;

    most -= more_bytes(most);
    const uint32_t left = (uint32_t)(end - p->at), literals = smaller_of(left, most);

    *p->to = (uint8_t)(smaller_of(literals, LENGTH_MASK) << 4);
    p->to = put_more(p->to + 1, literals);
    __builtin_memcpy(p->to, p->at, literals);
    p->to += literals;
    p->at += literals;
}

struct lz4_block lz4_pack(struct lz4_table *table, uint8_t *to, uint32_t room, const uint8_t *bytes, uint32_t size)
{
    const uint8_t *end = bytes + smaller_of(size, LZ4_PIECE_MAX);
    struct packing p = {.table = table, .to = to, .to_end = to + room, .start = bytes, .at = bytes};
    struct match match;

    p.matches_end = size > END_LITERALS ? end - END_LITERALS : bytes;
    for (;;) {
        /* Beyond this the literals have no room. */
        const uint32_t left = (uint32_t)(p.matches_end - p.at), most = (uint32_t)(p.to_end - p.to);

        if (left < MATCH_LEAST || !find_match(&p, p.at + smaller_of(left - MATCH_LEAST + 1, most), &match) ||
            !put_sequence(&p, &match)) {
            break;
        }
    }
    put_last(&p, end);
    return (struct lz4_block){.plain = (uint32_t)(p.at - bytes), .packed = (uint32_t)(p.to - to)};
}
