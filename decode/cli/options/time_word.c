#include "decode/cli/options/time_word.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SECONDS 1e9

bool time_word_parse(uint64_t *ticks, const struct time_word_clock *clock, const char *word, size_t size)
{
    char text[40], *end;
    if (size == 0 || size >= sizeof(text) || word[0] < '.' || word[0] > '9')
        return false;
    memcpy(text, word, size);
    text[size] = '\0';
    const bool counted = text[size - 1] == 't';
    if (counted || clock->by_branches) {
        const uint64_t number = strtoull(text, &end, 10);
        if (end == text || end != text + size - counted)
            return false;
        *ticks = clock->by_branches ? number : clock->first_tsc + number;
        return true;
    }
    const double seconds = strtod(text, &end);
    if (*end != '\0' || end == text || !(seconds < MOST_SECONDS) || clock->khz == 0)
        return false;
    *ticks = clock->first_tsc + (uint64_t)(seconds * (double)clock->khz * 1000 + 0.5);
    return true;
}

bool time_word_window(uint64_t *from, uint64_t *to, const struct time_word_clock *clock, const char *word)
{
    const char *dash = strchr(word, '-');
    return dash && (dash == word || time_word_parse(from, clock, word, (size_t)(dash - word))) &&
           (dash[1] == '\0' || time_word_parse(to, clock, dash + 1, strlen(dash + 1))) && *from <= *to;
}
