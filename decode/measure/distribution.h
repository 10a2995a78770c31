/*
 * How a quantity is distributed: its percentiles and a histogram by powers of two, in little memory whatever the number
 * of values. Values below 256 are counted exactly, greater ones in 128 steps between one power of two and the next, so
 * that a percentile is at most 0.8 % too high. Number, sum, least and greatest value are exact. Pure.
 */
#ifndef DECODE_MEASURE_DISTRIBUTION_H
#define DECODE_MEASURE_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

struct distribution {
    uint64_t count, sum, least, most;
    uint64_t *octaves[64]; /* by the highest bit of the value, from 8 on; the first one has all values below 256 */
    bool no_memory;        /* values are missing in the percentiles */
};

void distribution_add(struct distribution *distribution, uint64_t value);
void distribution_free(struct distribution *distribution);

/* The least value that at least so many thousandths of the values are not above, 1 to 1000. 0: there are no values. */
uint64_t distribution_percentile(const struct distribution *distribution, unsigned thousandths);

/* How many values have this highest bit: they are at least 2^bit and below 2^(bit+1). Bit 0 includes the value 0. */
uint64_t distribution_octave(const struct distribution *distribution, unsigned bit);

#endif
