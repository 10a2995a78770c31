/*
 * Parsing the values of options: numbers, sizes, ports, addresses.
 *
 * Each function must consume all of text. On an invalid value it returns false, and *out is undefined.
 */
#ifndef BOOT_OPTIONS_VALUE_H
#define BOOT_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/uart/uart_place.h"

/* A part of the command line; not terminated. */
struct value_text {
    const char *at;
    size_t size;
};

bool value_is(struct value_text text, const char *word);

bool value_flag(bool *out, struct value_text text); /* on, off */
/* Decimal, or hexadecimal with 0x. */
bool value_u32(uint32_t *out, struct value_text text, uint32_t min, uint32_t max);
bool value_u64(uint64_t *out, struct value_text text);
/* Numbers, separated by commas: at most `most` of them. Returns how many; 0: invalid. */
unsigned value_list(uint64_t *numbers, unsigned most, struct value_text text);
/* Are bits 63 to 47 all equal? */
bool value_is_canonical(uint64_t address);
/* A power of two from min to max, in bytes; suffix K or M. */
bool value_size(uint64_t *out, struct value_text text, uint64_t min, uint64_t max);
/* com1 to com4; the port in hexadecimal, from 0x1 to 0xfff8; mem: or mem32: and an address in hexadecimal;
 * bus:device.function of a PCI card; spcr. */
bool value_uart(struct uart_place *out, struct value_text text);
/* [segment:]bus:device.function in hexadecimal, as lspci prints it, with four digits for the segment: segment << 16 |
 * bus << 8 | device << 3 | function. */
bool value_bdf(uint32_t *out, struct value_text text);
/* Six bytes in hexadecimal, two digits each, colons between them. */
bool value_mac(uint8_t out[6], struct value_text text);
/* a.b.c.d, in host byte order. */
bool value_ip(uint32_t *out, struct value_text text);

#endif
