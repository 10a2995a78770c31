#include "decode/report/number_text.h"

#include <inttypes.h>
#include <stdio.h>

const char *count_text(char *buffer, uint64_t value)
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

const char *counted_text(char *buffer, uint64_t count, const char *singular, const char *plural)
{
    char number[COUNT_TEXT_SIZE];
    snprintf(buffer, COUNTED_TEXT_SIZE, "%s %s", count_text(number, count), count == 1 ? singular : plural);
    return buffer;
}

const char *bytes_text(char *buffer, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit < 4) {
        value /= 1024;
        unit++;
    }
    int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    snprintf(buffer, BYTES_TEXT_SIZE, "%.*f %s", decimals, value, units[unit]);
    return buffer;
}
