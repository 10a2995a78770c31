#include "boot/value.h"

#include "boot/acts.h"

#define KIB 1024ull

static const uint16_t com_ports[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

bool value_is(struct value_text text, const char *word)
{
    size_t i = 0;
    while (i < text.size && word[i] == text.at[i] && word[i] != 0)
        i++;
    return i == text.size && word[i] == 0;
}

static int digit_value(char c, unsigned base)
{
    unsigned value = 99;
    if (c >= '0' && c <= '9')
        value = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
        value = (unsigned)(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
        value = (unsigned)(c - 'A') + 10;
    return value < base ? (int)value : -1;
}

/* All of text as a number, at most max; decimal, or hexadecimal behind 0x. */
static bool value_number(uint64_t *out, struct value_text text, uint64_t max)
{
    unsigned base = 10;
    if (text.size > 2 && text.at[0] == '0' && (text.at[1] == 'x' || text.at[1] == 'X')) {
        base = 16;
        text = (struct value_text){text.at + 2, text.size - 2};
    }
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        int digit = digit_value(text.at[i], base);
        if (digit < 0 || value > (max - (unsigned)digit) / base || (unsigned)digit > max)
            return false;
        value = value * base + (unsigned)digit;
    }
    *out = value;
    return text.size > 0;
}

/* A power of two of bytes, with K or M behind it or not. */
bool value_size(uint64_t *out, struct value_text text, uint64_t min, uint64_t max)
{
    uint64_t unit = 1, value;
    if (text.size > 0) {
        char last = text.at[text.size - 1];
        if (last == 'K' || last == 'k')
            unit = KIB;
        else if (last == 'M' || last == 'm')
            unit = KIB * KIB;
    }
    if (unit > 1)
        text.size--;
    if (!value_number(&value, text, max / unit))
        return false;
    value *= unit;
    if (value < min || (value & (value - 1)) != 0)
        return false;
    *out = value;
    return true;
}

bool value_flag(bool *out, struct value_text text)
{
    *out = value_is(text, "on");
    return *out || value_is(text, "off");
}

SECOND_ACT bool value_port(uint16_t *out, struct value_text text)
{
    uint64_t number;
    if (text.size == 4 && value_is((struct value_text){text.at, 3}, "com") && text.at[3] >= '1' && text.at[3] <= '4') {
        *out = com_ports[text.at[3] - '1'];
        return true;
    }
    if (text.size < 3 || text.at[0] != '0' || !value_number(&number, text, 0xfff8) || number == 0)
        return false;
    *out = (uint16_t)number;
    return true;
}

SECOND_ACT bool value_baud(uint32_t *out, struct value_text text)
{
    uint64_t number;
    if (!value_number(&number, text, 115200) || number < 2 || 115200 % number != 0) /* the divisor has 16 bits */
        return false;
    *out = (uint32_t)number;
    return true;
}

bool value_bdf(uint32_t *out, struct value_text text)
{
    static const char form[] = "xx:xx.x";
    uint32_t digits = 0;
    for (size_t i = 0; i < sizeof form - 1; i++) {
        if (i >= text.size || (form[i] != 'x' && text.at[i] != form[i]))
            return false;
        if (form[i] != 'x')
            continue;
        int digit = digit_value(text.at[i], 16);
        if (digit < 0)
            return false;
        digits = digits << 4 | (unsigned)digit;
    }
    const uint32_t device = digits >> 4 & 0xff, function = digits & 0xf;
    *out = digits >> 12 << 8 | device << 3 | function;
    return text.size == sizeof form - 1 && device < 32 && function < 8;
}

SECOND_ACT bool value_ip(uint32_t *out, struct value_text text)
{
    uint32_t ip = 0;
    for (unsigned part = 0; part < 4; part++) {
        size_t length = 0;
        while (length < text.size && text.at[length] != '.')
            length++;
        uint64_t number;
        bool last = part == 3;
        if (length > 3 || (length > 1 && text.at[0] == '0')) /* 010 may mean 8 */
            return false;
        if (!value_number(&number, (struct value_text){text.at, length}, 255) || last != (length == text.size))
            return false;
        ip = ip << 8 | (uint32_t)number;
        if (!last)
            text = (struct value_text){text.at + length + 1, text.size - length - 1};
    }
    *out = ip;
    return true;
}

bool value_u32(uint32_t *out, struct value_text text, uint32_t min, uint32_t max)
{
    uint64_t number;
    if (!value_number(&number, text, max) || number < min)
        return false;
    *out = (uint32_t)number;
    return true;
}

bool value_u64(uint64_t *out, struct value_text text)
{
    return value_number(out, text, UINT64_MAX);
}

bool value_u16(uint16_t *out, struct value_text text, uint16_t min, uint16_t max)
{
    uint32_t number;
    if (!value_u32(&number, text, min, max))
        return false;
    *out = (uint16_t)number;
    return true;
}
