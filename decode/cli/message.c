#include "decode/cli/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void message_say(const char *format, ...)
{
    va_list args;
    fputs("undertrace: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void message_errno(const char *format, ...)
{
    const char *reason = strerror(errno);
    va_list args;
    fputs("undertrace: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, ": %s\n", reason);
}

const char *message_count(char *buffer, uint64_t value)
{
    char digits[21];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    char *out = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}

const char *message_bytes(char *buffer, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit < 4) {
        value /= 1024;
        unit++;
    }
    int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    snprintf(buffer, MESSAGE_BYTES_SIZE, "%.*f %s", decimals, value, units[unit]);
    return buffer;
}
