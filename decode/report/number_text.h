/* Numbers for people. */
#ifndef DECODE_NUMBER_TEXT_H
#define DECODE_NUMBER_TEXT_H

#include <stdint.h>

/* A number with thousands separators ("1,234,567"), for reports. The buffer is the caller's, at least 28 bytes. */
#define COUNT_TEXT_SIZE 28u
const char *count_text(char *buffer, uint64_t value);

/* A number with its noun in the right form: "1 branch", "1,234,567 branches". buffer: at least 64 bytes. */
#define COUNTED_TEXT_SIZE 64u
const char *counted_text(char *buffer, uint64_t count, const char *singular, const char *plural);

/* The ending of a regular noun after this count. */
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* A size with a unit of three significant digits ("12.3 MiB"), for progress lines. buffer: at least 16 bytes. */
#define BYTES_TEXT_SIZE 16u
const char *bytes_text(char *buffer, uint64_t bytes);

#endif
