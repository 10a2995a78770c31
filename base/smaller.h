/* The smaller of two numbers. Core. */
#ifndef BASE_SMALLER_H
#define BASE_SMALLER_H

#include <stdint.h>

static inline uint64_t smaller_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
