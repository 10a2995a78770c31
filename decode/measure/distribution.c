#include "decode/measure/distribution.h"

#include <stdlib.h>

#define EXACT_BITS 8u /* values with fewer bits are counted exactly */
#define EXACT (1u << EXACT_BITS)
#define STEPS (EXACT / 2)

static unsigned highest_bit(uint64_t value)
{
    return value ? 63u - (unsigned)__builtin_clzll(value) : 0;
}

/* Where a value is counted: in which octave, and there at which step. */
struct place {
    unsigned octave, step;
};

static struct place place_of(uint64_t value)
{
    const unsigned bit = highest_bit(value);
    if (bit < EXACT_BITS)
        return (struct place){0, (unsigned)value};
    return (struct place){bit, (unsigned)(value >> (bit - EXACT_BITS + 1)) & (STEPS - 1)};
}

/* The highest value that is counted there. */
static uint64_t highest_at(struct place place)
{
    const unsigned shift = place.octave - EXACT_BITS + 1;
    if (place.octave == 0)
        return place.step;
    return ((uint64_t)(STEPS + place.step) << shift) + ((1ull << shift) - 1);
}

static unsigned steps_of(unsigned octave)
{
    return octave == 0 ? EXACT : STEPS;
}

void distribution_add(struct distribution *distribution, uint64_t value)
{
    const struct place place = place_of(value);
    uint64_t **octave = &distribution->octaves[place.octave];
    if (distribution->count == 0 || value < distribution->least)
        distribution->least = value;
    if (value > distribution->most)
        distribution->most = value;
    distribution->count++;
    distribution->sum += value;
    if (!*octave)
        *octave = calloc(steps_of(place.octave), sizeof(**octave));
    if (*octave)
        (*octave)[place.step]++;
    else
        distribution->no_memory = true;
}

void distribution_free(struct distribution *distribution)
{
    for (unsigned i = 0; i < 64; i++)
        free(distribution->octaves[i]);
    *distribution = (struct distribution){0};
}

uint64_t distribution_percentile(const struct distribution *distribution, unsigned thousandths)
{
    const uint64_t count = distribution->count;
    const uint64_t wanted = count / 1000 * thousandths + (count % 1000 * thousandths + 999) / 1000;
    uint64_t seen = 0;
    for (unsigned octave = 0; octave < 64; octave++)
        for (unsigned step = 0; distribution->octaves[octave] && step < steps_of(octave); step++) {
            seen += distribution->octaves[octave][step];
            const uint64_t value = highest_at((struct place){octave, step});
            if (seen > 0 && seen >= wanted)
                return value < distribution->most ? value : distribution->most;
        }
    return distribution->most;
}

uint64_t distribution_octave(const struct distribution *distribution, unsigned bit)
{
    const uint64_t *counts = distribution->octaves[bit < EXACT_BITS ? 0 : bit];
    const unsigned from = bit >= EXACT_BITS || bit == 0 ? 0 : 1u << bit;
    const unsigned to = bit >= EXACT_BITS ? STEPS : 2u << bit;
    uint64_t sum = 0;
    for (unsigned step = from; counts && step < to; step++)
        sum += counts[step];
    return sum;
}
