/*
 * The canary: 64 bytes that are not a valid trace, placed ahead of output that may wrap. If some of them have been
 * overwritten, the hardware has come that far.
 *
 * The hardware writes towards higher addresses, so it destroys the canary from its start; the rest stays intact.
 */
#ifndef PT_OUTPUT_CANARY_H
#define PT_OUTPUT_CANARY_H

#include <stdbool.h>
#include <stdint.h>

#define CANARY_BYTES 64u
#define CANARY_WORDS (CANARY_BYTES / 8)
#define CANARY_NONE (~0ull)

/* Seven times D9H, with which only TRIG packets begin: no trace holds a row of them. */
static inline uint64_t canary_word(uint32_t index)
{
    return 0xd9d9d9d9d9d9d900ull | (0xd0u + index);
}

static inline void canary_put(volatile uint64_t *at)
{
    for (uint32_t i = 0; i < CANARY_WORDS; i++)
        at[i] = canary_word(i);
}

/* How many words are intact, counted from the end. */
static inline uint32_t canary_left(const volatile uint64_t *at)
{
    uint32_t left = 0;
    while (left < CANARY_WORDS && at[CANARY_WORDS - 1 - left] == canary_word(CANARY_WORDS - 1 - left))
        left++;
    return left;
}

/* The output pointer is distance bytes before the canary's end: can it have got there without wrapping? left: what
 * canary_left returned. false: it has been past the end, or that cannot be decided. */
static inline bool canary_agrees(uint32_t left, uint64_t distance)
{
    uint64_t expected = distance / 8 < CANARY_WORDS ? distance / 8 : CANARY_WORDS;
    return expected != 0 && left >= expected;
}

#endif
