#include "decode/capture/text.h"

#include <string.h>

bool text_next(struct text_line *line, struct record_text text, size_t *position)
{
    while (*position < text.size && text.bytes[*position] == '\n')
        ++*position;
    if (*position >= text.size)
        return false;
    const char *start = text.bytes + *position;
    const char *stop = memchr(start, '\n', text.size - *position);
    size_t length = stop ? (size_t)(stop - start) : text.size - *position;
    *position += length;
    const char *space = memchr(start, ' ', length);
    size_t name = space ? (size_t)(space - start) : length;
    size_t value = space ? name + 1 : length;
    line->name = (struct record_text){start, name};
    line->value = (struct record_text){start + value, length - value};
    return true;
}

bool text_find(struct record_text *value, struct record_text text, const char *name)
{
    struct text_line line;
    size_t position = 0;
    while (text_next(&line, text, &position)) {
        if (line.name.size == strlen(name) && !memcmp(line.name.bytes, name, line.name.size)) {
            *value = line.value;
            return true;
        }
    }
    return false;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

bool text_number(uint64_t *number, struct record_text text)
{
    size_t i = 0;
    unsigned base = 10;
    if (text.size > 2 && text.bytes[0] == '0' && text.bytes[1] == 'x') {
        base = 16;
        i = 2;
    }
    uint64_t value = 0;
    for (size_t first = i; i < text.size; i++) {
        unsigned digit = (unsigned)digit_value(text.bytes[i]);
        if (digit >= base || i - first >= (base == 16 ? 16 : 19))
            return false;
        value = value * base + digit;
    }
    *number = value;
    return text.size > 0;
}

bool text_find_number(uint64_t *number, struct record_text text, const char *name)
{
    struct record_text value;
    return text_find(&value, text, name) && text_number(number, value);
}

bool text_equals(struct record_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(word, text.bytes, text.size) == 0;
}

size_t text_write_plain(FILE *file, struct record_text text)
{
    size_t written = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (c >= ' ' && c < 0x7f) {
            fputc(c, file);
            written++;
        } else {
            written += (size_t)fprintf(file, "\\x%02x", c);
        }
    }
    return written;
}

void text_write_json(FILE *file, struct record_text text)
{
    fputc('"', file);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

/* Decimal numbers that a double represents exactly become numbers, all else strings. */
static bool is_json_number(struct record_text text)
{
    if (text.size == 0 || text.size > 15 || (text.bytes[0] == '0' && text.size > 1))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    return true;
}

void text_write_json_fields(FILE *file, struct record_text text, const char *comma, const char *indent)
{
    struct text_line line;
    size_t position = 0;
    while (text_next(&line, text, &position)) {
        fprintf(file, "%s\n%s", comma, indent);
        text_write_json(file, line.name);
        fputs(": ", file);
        if (is_json_number(line.value))
            fprintf(file, "%.*s", (int)line.value.size, line.value.bytes);
        else
            text_write_json(file, line.value);
        comma = ",";
    }
}
