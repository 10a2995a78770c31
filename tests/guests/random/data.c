/* What a seed's data begin as, and what became of them. */
#include "random.h"

#define DATA_WORDS (NR_DATA_PAGES * PAGE / 8)

/* The data are a part of one of these; the second has no bytes that exposed code must not execute. String instructions,
 * since a loop would be most of the trace. */
static uint64_t pools[2][2 * DATA_WORDS];
static const uint64_t *begun; /* this seed's */

void data_prepare(void)
{
    uint8_t *safe = (uint8_t *)pools[1];

    random_sequence = 1;
    for (uint32_t i = 0; i < 2 * DATA_WORDS; i++)
        pools[0][i] = pools[1][i] = random64();
    for (uint32_t i = 0; i < sizeof pools[1]; i++)
        if (byte_is_dangerous(safe[i]))
            safe[i] = 0x90; /* NOP */
}

void data_reset(void)
{
    void *to = run.data;
    uint64_t count = DATA_WORDS;

    begun = pools[run.exposed] + below(DATA_WORDS);
    const void *from = begun;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

uint64_t data_hash(uint64_t hash)
{
    const void *is = run.data, *was = begun;
    uint64_t count = DATA_WORDS;

    for (;;) {
        bool same;

        __asm__ volatile("repe cmpsq" : "+D"(is), "+S"(was), "+c"(count), "=@ccz"(same) : : "memory");
        if (same)
            return hash;
        hash = hash_add(hash_add(hash, count), ((const uint64_t *)is)[-1]);
        if (count == 0)
            return hash;
    }
}
