/* Random bytes of which most decode. */
#include "tests/tools/instructions/sources.h"

#include <string.h>

/* SplitMix64. */
static uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Each takes the bits that it needs from the lower end of *choice. */
static uint32_t choose(uint64_t *choice, uint32_t bits)
{
    uint32_t chosen = (uint32_t)(*choice & ((1u << bits) - 1));
    *choice >>= bits;
    return chosen;
}

/* Often none, seldom many. */
static uint32_t put_prefixes(uint8_t *bytes, uint64_t *seed, uint64_t *choice)
{
    static const uint8_t prefixes[16] = {0x66, 0x66, 0x67, 0x67, 0xF2, 0xF3, 0xF3, 0xF2,
                                         0xF0, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0x66};
    uint32_t at = 0, many = choose(choice, 6) == 0;
    uint64_t more = random_next(seed);
    while (at < 14 && choose(&more, 2) < (many ? 3 : 1)) {
        uint32_t which = choose(&more, 5);
        bytes[at++] = which < 16 ? prefixes[which] : (uint8_t)(0x40 | (which & 15));
        if (more == 0)
            break;
    }
    return at;
}

/* Fields after 62H as an assembler would write them for operands that are not there; half of the time all random. */
static void put_evex(uint8_t *bytes, uint64_t *choice)
{
    static const uint8_t maps[8] = {1, 2, 3, 5, 6, 1, 2, 3};
    bytes[0] = 0x62;
    bytes[1] = (uint8_t)((bytes[1] & 0xF0) | maps[choose(choice, 3)]);
    bytes[2] |= 0x04;
    if (choose(choice, 1))
        bytes[1] |= 0xC0;
    if (choose(choice, 1)) {
        bytes[2] |= 0x78;
        bytes[3] = (uint8_t)((bytes[3] & 0x67) | 0x08);
    }
}

static void put_vex(uint8_t *bytes, uint64_t *choice)
{
    uint32_t kind = choose(choice, 3);
    bytes[0] = kind < 2 ? 0xC5 : 0xC4;
    if (kind >= 2 && kind < 7)
        bytes[1] = (uint8_t)((bytes[1] & 0xE0) | (1 + kind % 3));
    if (choose(choice, 1))
        bytes[1] |= 0xC0;
    if (choose(choice, 1))
        bytes[kind < 2 ? 1 : 2] |= 0x78; /* vvvv: no register */
}

void pattern_make(uint64_t *seed, uint8_t bytes[PATTERN_BYTES])
{
    uint64_t words[2] = {random_next(seed), random_next(seed)}, choice = random_next(seed);
    memcpy(bytes, words, PATTERN_BYTES);
    uint32_t at = put_prefixes(bytes, seed, &choice);
    uint8_t *opcode = bytes + (at < 12 ? at : 11);
    switch (choose(&choice, 3)) {
    case 0:
    case 1:
        opcode[0] = 0x0F;
        break;
    case 2:
        opcode[0] = 0x0F;
        opcode[1] = choose(&choice, 1) ? 0x38 : 0x3A;
        break;
    case 3:
        put_vex(opcode, &choice);
        break;
    case 4:
        put_evex(opcode, &choice);
        break;
    default: /* whatever it is */
        break;
    }
}
