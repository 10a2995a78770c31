/* What the host tool tells people: one line on stderr, "undertrace: <text>". */
#ifndef DECODE_MESSAGE_H
#define DECODE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

void message_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As message_say, with what errno means behind it. */
void message_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number with thousands separators ("1,234,567"), for reports. The buffer is the caller's, at least 28 bytes. */
#define MESSAGE_COUNT_SIZE 28u
const char *message_count(char *buffer, uint64_t value);

/* A size with a unit of three significant digits ("12.3 MiB"), for progress lines. buffer: at least 16 bytes. */
#define MESSAGE_BYTES_SIZE 16u
const char *message_bytes(char *buffer, uint64_t bytes);

#endif
