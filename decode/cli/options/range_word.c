#include "decode/cli/options/range_word.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "serial/wire/record.h"

static bool parse_address(const char *word, size_t size, uint64_t *address)
{
    char digits[24], *end;
    if (size == 0 || size >= sizeof(digits))
        return false;
    memcpy(digits, word, size);
    digits[size] = '\0';
    if (strspn(digits, "0123456789abcdefABCDEFxX") != size)
        return false;
    *address = strtoull(digits, &end, 16);
    return *end == '\0';
}

bool range_word_parse(const char *word, uint64_t *begin, uint64_t *end)
{
    const bool page = !strncmp(word, "page:", 5);
    const char *first = page ? word + 5 : word, *dash = strchr(first, '-');
    if (!parse_address(first, dash ? (size_t)(dash - first) : strlen(first), begin))
        return false;
    *end = *begin + 1;
    if (page) {
        *begin -= *begin % RECORD_PAGE_SIZE;
        *end = *begin + RECORD_PAGE_SIZE;
    }
    return !dash || (!page && parse_address(dash + 1, strlen(dash + 1), end) && *end > *begin);
}
