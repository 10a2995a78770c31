/* The token index is recognised first. It leads to the token table before it, and that to the names before it, whose
 * number and offsets must agree with the count and the markers. */
#include "decode/names/kernel/kallsyms_find.h"

#include <string.h>

#include "decode/names/bytes.h"

#define INDEX_SIZE (KALLSYMS_TOKENS * 2)
#define TOKEN_MAX 64u        /* the longest token in bytes; scripts/kallsyms.c makes them by joining pairs */
#define FARTHEST (64u << 20) /* names, markers and seqs_of_names before the token table */
#define FEWEST_SYMBOLS 64u
#define MARKER_EVERY 256u
#define TYPES "aAbBcCdDgGiIlLnNpPrRsStTuUvVwW?-"

uint32_t kallsyms_length(const uint8_t *image, uint64_t *at, uint64_t end)
{
    if (*at >= end)
        return 0;
    uint32_t length = image[(*at)++];
    if (length & 0x80) { /* since 6.1: two bytes, the lower seven bits first */
        if (*at >= end)
            return 0;
        length = (length & 0x7f) | (uint32_t)image[(*at)++] << 7;
    }
    return length <= end - *at ? length : 0;
}

/* Does this token table belong to the index? Each token must be printable and end where the next one begins. */
static bool is_token_table(const uint8_t *image, uint64_t table, const uint8_t *index, uint64_t end)
{
    for (unsigned i = 0; i < KALLSYMS_TOKENS; i++) {
        const uint64_t at = table + read16(index + 2 * i);
        const uint64_t next = i + 1 < KALLSYMS_TOKENS ? table + read16(index + 2 * i + 2) : end;
        if (next <= at || next > end || image[next - 1] != '\0')
            return false;
        for (uint64_t j = at; j < next - 1; j++)
            if (image[j] < 0x20 || image[j] > 0x7e)
                return false;
    }
    return true;
}

/* The table ends at its index, except for padding. */
static bool find_token_table(struct kallsyms_tables *tables, const uint8_t *image, uint64_t index)
{
    const uint16_t last = read16(image + index + INDEX_SIZE - 2);
    for (uint64_t end = index; end > 0 && index - end < 8 && image[end - 1] == '\0'; end--) {
        uint64_t begin = end - 1;
        while (begin > 0 && end - begin < TOKEN_MAX && image[begin - 1] != '\0')
            begin--;
        if (begin < last || (begin - last) % 4 || !is_token_table(image, begin - last, image + index, end))
            continue;
        tables->token_table = begin - last;
        tables->token_index = index;
        return true;
    }
    return false;
}

/* Does this look like the offsets of 256 strings in a row? */
static bool is_token_index(const uint8_t *index)
{
    uint16_t before = read16(index);
    if (before != 0)
        return false;
    for (unsigned i = 1; i < KALLSYMS_TOKENS; i++) {
        const uint16_t offset = read16(index + 2 * i);
        if (offset <= before || offset > before + TOKEN_MAX)
            return false;
        before = offset;
    }
    return true;
}

/* A symbol's first letter is its type. */
static bool has_type(const struct kallsyms_tables *tables, const uint8_t *image, uint8_t token)
{
    const uint8_t letter = image[tables->token_table + read16(image + tables->token_index + 2 * token)];
    return letter && strchr(TYPES, letter);
}

/* The markers after the names must be the offsets of every 256th name. */
static bool are_markers(const struct kallsyms_tables *tables, const uint8_t *image, uint64_t names, uint64_t markers)
{
    uint64_t at = names;
    for (uint32_t i = 0; i < tables->count; i++) {
        if (i % MARKER_EVERY == 0 && read32(image + markers + i / MARKER_EVERY * 4) != at - names)
            return false;
        const uint32_t length = kallsyms_length(image, &at, tables->token_table);
        at += length;
    }
    return true;
}

/* Do the names after this number agree with it and with the markers? */
static bool take_names(struct kallsyms_tables *tables, const uint8_t *image, uint64_t number, uint32_t alignment)
{
    const uint64_t names = number + alignment, end = tables->token_table;
    uint64_t at = names;
    tables->count = read32(image + number);
    if (tables->count < FEWEST_SYMBOLS || tables->count > (end - names) / 2 ||
        (alignment == 8 && read32(image + number + 4) != 0))
        return false;
    for (uint32_t i = 0; i < tables->count; i++) {
        const uint32_t length = kallsyms_length(image, &at, end);
        if (length == 0 || length > KALLSYMS_NAME_MAX || !has_type(tables, image, image[at]))
            return false;
        at += length;
    }
    const uint64_t markers = align_up(at, alignment);
    const uint64_t markers_end = markers + (tables->count + MARKER_EVERY - 1) / MARKER_EVERY * 4ull;
    if (markers_end > end || !are_markers(tables, image, names, markers))
        return false;
    tables->names = names;
    tables->names_end = at;
    tables->markers = markers;
    tables->alignment = alignment;
    return true;
}

static bool find_names(struct kallsyms_tables *tables, const uint8_t *image)
{
    const uint64_t first = tables->token_table > FARTHEST ? tables->token_table - FARTHEST : 0;
    for (uint64_t at = tables->token_table & ~3ull; at >= first + 8; at -= 4)
        if ((at % 8 == 0 && tables->token_table - at >= 8 && take_names(tables, image, at, 8)) ||
            (tables->token_table - at >= 4 && take_names(tables, image, at, 4)))
            return true;
    return false;
}

bool kallsyms_find(struct kallsyms_tables *tables, const uint8_t *image, size_t size)
{
    for (uint64_t at = 0; size >= INDEX_SIZE && at <= size - INDEX_SIZE; at += 4) {
        *tables = (struct kallsyms_tables){0};
        if (is_token_index(image + at) && find_token_table(tables, image, at) && find_names(tables, image))
            return true;
    }
    return false;
}
