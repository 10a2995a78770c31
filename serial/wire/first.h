/*
 * Where the numbers of a boot begin: all 0, except in tests (option test.first=), which begin near a limit of 32 bits
 * rather than run for hours until it. Core.
 */
#ifndef SERIAL_WIRE_FIRST_H
#define SERIAL_WIRE_FIRST_H

#include <stdint.h>

struct wire_first {
    uint64_t frame;   /* the number of the first frame; its low half is seq */
    uint64_t trace;   /* the offset of each CPU's first trace byte: the bytes before are a gap of cause RING */
    uint64_t records; /* the offset of each CPU's first record byte; a multiple of 8 */
    uint64_t code;    /* the number before that of the first record of code */
};

#endif
