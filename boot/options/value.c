/* Kind: core */
#include "boot/options/value.h"

#define KIB 1024ull

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

/* A number up to max, decimal or hexadecimal with 0x. */
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

unsigned value_list(uint64_t *numbers, unsigned most, struct value_text text)
{
    for (unsigned nr = 0; nr < most; nr++) {
        size_t size = 0;
        while (size < text.size && text.at[size] != ',')
            size++;
        if (!value_u64(&numbers[nr], (struct value_text){text.at, size}))
            return 0;
        if (size == text.size)
            return nr + 1;
        text.at += size + 1;
        text.size -= size + 1;
    }
    return 0;
}

bool value_is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}
