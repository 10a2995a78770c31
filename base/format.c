/* Kind: core, hot */
/* The formatter of log lines: a small part of printf, without floating point and locale. */
#include "base/log.h"

struct output {
    char *buffer;
    size_t size;
    size_t length;
};

struct spec {
    bool left;
    bool zero;
    size_t width;
    unsigned longs; /* number of 'l's */
};

static void put_char(struct output *out, char c)
{
    if (out->length + 1 < out->size) {
        out->buffer[out->length++] = c;
    }
}

static void put_repeated(struct output *out, char c, size_t times)
{
    while (times-- > 0) {
        put_char(out, c);
    }
}

/* The sign comes before the zeros of a zero-padded field, but after the blanks of another. */
static void put_field(struct output *out, const struct spec *spec, const char *sign, const char *text, size_t length)
{
    size_t sign_length = sign[0] != '\0' ? 1 : 0;
    size_t used = length + sign_length;
    size_t fill = spec->width > used ? spec->width - used : 0;

    if (!spec->left && !spec->zero) {
        put_repeated(out, ' ', fill);
    }
    if (sign_length != 0) {
        put_char(out, sign[0]);
    }
    if (!spec->left && spec->zero) {
        put_repeated(out, '0', fill);
    }
    for (size_t i = 0; i < length; i++) {
        put_char(out, text[i]);
    }
    if (spec->left) {
        put_repeated(out, ' ', fill);
    }
}

static void put_number(struct output *out, const struct spec *spec, bool negative, uint64_t value, unsigned base)
{
    char digits[20]; /* 2^64 - 1 has 20 decimal digits */
    size_t first = sizeof(digits);

    do {
        digits[--first] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    put_field(out, spec, negative ? "-" : "", &digits[first], sizeof(digits) - first);
}

static void put_string(struct output *out, const struct spec *spec, const char *text)
{
    struct spec blanks = *spec;
    size_t length = 0;

    if (text == NULL) {
        text = "(null)";
    }
    while (text[length] != '\0') {
        length++;
    }
    blanks.zero = false;
    put_field(out, &blanks, "", text, length);
}

/* Parse flags, width and length modifiers. Returns the position of the conversion's letter. */
static const char *parse_spec(struct spec *spec, const char *at)
{
    *spec = (struct spec){0};
    for (;; at++) {
        if (*at == '-') {
            spec->left = true;
        } else if (*at == '0') {
            spec->zero = true;
        } else {
            break;
        }
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        spec->width = spec->width * 10 + (size_t)(*at - '0');
    }
    for (; *at == 'l'; at++) {
        spec->longs++;
    }
    return at;
}

static uint64_t take_unsigned(va_list *args, unsigned longs)
{
    if (longs >= 2) {
        return va_arg(*args, unsigned long long);
    }
    return longs == 1 ? va_arg(*args, unsigned long) : va_arg(*args, unsigned int);
}

static int64_t take_signed(va_list *args, unsigned longs)
{
    if (longs >= 2) {
        return va_arg(*args, long long);
    }
    return longs == 1 ? va_arg(*args, long) : va_arg(*args, int);
}

static void put_signed(struct output *out, const struct spec *spec, int64_t value)
{
    put_number(out, spec, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
}

static void put_pointer(struct output *out, const struct spec *spec, const void *pointer)
{
    put_char(out, '0');
    put_char(out, 'x');
    put_number(out, spec, false, (uintptr_t)pointer, 16);
}

/* An unknown conversion is printed literally: a wrong log line must not stop the machine. */
static void put_conversion(struct output *out, const struct spec *spec, char letter, va_list *args)
{
    char c;

    switch (letter) {
    case 's':
        put_string(out, spec, va_arg(*args, const char *));
        break;
    case 'c':
        c = (char)va_arg(*args, int);
        put_field(out, spec, "", &c, 1);
        break;
    case 'd':
        put_signed(out, spec, take_signed(args, spec->longs));
        break;
    case 'u':
        put_number(out, spec, false, take_unsigned(args, spec->longs), 10);
        break;
    case 'x':
        put_number(out, spec, false, take_unsigned(args, spec->longs), 16);
        break;
    case 'p':
        put_pointer(out, spec, va_arg(*args, const void *));
        break;
    case '%':
        put_char(out, '%');
        break;
    default:
        put_char(out, '%');
        put_char(out, letter);
        break;
    }
}

size_t format_text_v(char *buffer, size_t size, const char *format, va_list args)
{
    struct output out = {.buffer = buffer, .size = size, .length = 0};
    va_list walk;

    if (size == 0) {
        return 0;
    }
    va_copy(walk, args);
    for (const char *at = format; *at != '\0'; at++) {
        struct spec spec;

        if (*at != '%') {
            put_char(&out, *at);
            continue;
        }
        at = parse_spec(&spec, at + 1);
        if (*at == '\0') {
            break;
        }
        put_conversion(&out, &spec, *at, &walk);
    }
    va_end(walk);
    buffer[out.length] = '\0';
    return out.length;
}

size_t format_text(char *buffer, size_t size, const char *format, ...)
{
    va_list args;
    size_t length;

    va_start(args, format);
    length = format_text_v(buffer, size, format, args);
    va_end(args);
    return length;
}
