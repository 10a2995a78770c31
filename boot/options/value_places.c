/* Kind: core, init */
/* Values that name ports, cards and addresses, which only options set at boot have. */
#include "boot/options/value.h"

static const uint16_t com_ports[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

/* com1 to com4, or a number with 0x. */
static bool read_port(uint64_t *port, struct value_text text)
{
    if (text.size == 4 && value_is((struct value_text){text.at, 3}, "com") && text.at[3] >= '1' && text.at[3] <= '4') {
        *port = com_ports[text.at[3] - '1'];
        return true;
    }
    return text.size >= 3 && text.at[0] == '0' && value_u64(port, text) && *port != 0 && *port <= 0xfff8;
}

/* An address after a prefix such as mem: */
static bool read_prefixed(uint64_t *address, struct value_text text, struct value_text prefix)
{
    return text.size > prefix.size + 2 && __builtin_memcmp(text.at, prefix.at, prefix.size) == 0 &&
           text.at[prefix.size] == '0' &&
           value_u64(address, (struct value_text){text.at + prefix.size, text.size - prefix.size}) && *address != 0;
}

bool value_uart(struct uart_place *out, struct value_text text)
{
    uint32_t bdf;

    *out = (struct uart_place){UART_SPCR, 0};
    if (value_is(text, "spcr"))
        return true;
    out->kind = UART_AT_PORT;
    if (read_port(&out->at, text))
        return true;
    out->kind = UART_IN_MEMORY;
    if (read_prefixed(&out->at, text, (struct value_text){"mem:", 4}))
        return true;
    out->kind = UART_IN_MEMORY32;
    if (read_prefixed(&out->at, text, (struct value_text){"mem32:", 6}))
        return true;
    *out = (struct uart_place){UART_PCI, 0};
    if (!value_bdf(&bdf, text))
        return false;
    out->at = bdf;
    return true;
}

/* Hexadecimal digits where form has x; all other characters must be equal to form's. */
static bool read_form(uint32_t *digits, struct value_text text, const char *form, size_t size)
{
    *digits = 0;
    for (size_t i = 0; i < size; i++) {
        if (i >= text.size || (form[i] != 'x' && text.at[i] != form[i]))
            return false;
        if (form[i] != 'x')
            continue;
        uint64_t digit;
        const char hex[] = {'0', 'x', text.at[i]};
        if (!value_u64(&digit, (struct value_text){hex, sizeof hex}))
            return false;
        *digits = *digits << 4 | (uint32_t)digit;
    }
    return text.size == size;
}

bool value_bdf(uint32_t *out, struct value_text text)
{
    static const char segment_form[] = "xxxx:", form[] = "xx:xx.x";
    const size_t before = sizeof segment_form - 1;
    uint32_t segment = 0, digits;
    if (text.size > before && text.at[4] == ':') {
        if (!read_form(&segment, (struct value_text){text.at, before}, segment_form, before))
            return false;
        text = (struct value_text){text.at + before, text.size - before};
    }
    if (!read_form(&digits, text, form, sizeof form - 1))
        return false;
    const uint32_t device = digits >> 4 & 0xff, function = digits & 0xf;
    *out = segment << 16 | digits >> 12 << 8 | device << 3 | function;
    return device < 32 && function < 8 && segment != 0xffff; /* all ones: NET_CARD_ANY */
}

static bool hex_byte(uint8_t *out, const char digits[2])
{
    const char hex[] = {'0', 'x', digits[0], digits[1]};
    uint64_t number = 0;
    const bool good = value_u64(&number, (struct value_text){hex, sizeof hex});

    *out = (uint8_t)number;
    return good;
}

bool value_mac(uint8_t out[6], struct value_text text)
{
    if (text.size != 17)
        return false;
    for (size_t i = 0; i < 6; i++)
        if (!hex_byte(&out[i], text.at + 3 * i) || (i < 5 && text.at[3 * i + 2] != ':'))
            return false;
    return true;
}

bool value_ip(uint32_t *out, struct value_text text)
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
        if (!value_u64(&number, (struct value_text){text.at, length}) || number > 255 || last != (length == text.size))
            return false;
        ip = ip << 8 | (uint32_t)number;
        if (!last)
            text = (struct value_text){text.at + length + 1, text.size - length - 1};
    }
    *out = ip;
    return true;
}
