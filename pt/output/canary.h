/*
 * The canary: 64 bytes that no trace will have there, put in the way of output that may wrap. What is left of them says
 * whether the hardware came by.
 *
 * Core. The hardware writes upwards, so it destroys the canary from its start; bytes from its own place on stay.
 */
#ifndef PT_OUTPUT_CANARY_H
#define PT_OUTPUT_CANARY_H

#include <stdbool.h>
#include <stdint.h>

#define CANARY_BYTES 64u
#define CANARY_WORDS (CANARY_BYTES / 8)
#define CANARY_NOWHERE (~0ull)

/* Seven times D9H, which starts no packet. */
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

/* The hardware's place is distance bytes before the canary's end: can it be there for the first time? false: it has
 * been past the end, or nobody can say. */
static inline bool canary_agrees(uint32_t left, uint64_t distance)
{
    uint64_t expected = distance / 8 < CANARY_WORDS ? distance / 8 : CANARY_WORDS;
    return expected != 0 && left >= expected;
}

#endif
