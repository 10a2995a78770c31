/* Where bytes to be decoded come from. */
#ifndef TESTS_TOOLS_INSTRUCTIONS_SOURCES_H
#define TESTS_TOOLS_INSTRUCTIONS_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_BYTES 16u

/* Random bytes of which most decode: prefixes, escapes, VEX and EVEX are favoured. The seed changes with each call. */
void pattern_make(uint64_t *seed, uint8_t bytes[PATTERN_BYTES]);

/* Call back with each executable section of an ELF file of x86. False: the file is no such. */
bool sections_each(const char *path, void (*section)(const uint8_t *bytes, size_t size));

#endif
