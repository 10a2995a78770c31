/*
 * Values of options: text to numbers, sizes, ports, addresses.
 *
 * Core. Each function reads all of text and returns false, with *out as it was or undefined, where it is no such value.
 */
#ifndef BOOT_OPTIONS_VALUE_H
#define BOOT_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/uart/uart_place.h"

/* A piece of the command line; no NUL behind it. */
struct value_text {
    const char *at;
    size_t size;
};

bool value_is(struct value_text text, const char *word);

bool value_flag(bool *out, struct value_text text); /* on, off */
/* Decimal, or hexadecimal behind 0x. */
bool value_u32(uint32_t *out, struct value_text text, uint32_t min, uint32_t max);
bool value_u64(uint64_t *out, struct value_text text);
/* Bits 63 to 47 are all alike. */
bool value_is_canonical(uint64_t address);
bool value_u16(uint16_t *out, struct value_text text, uint16_t min, uint16_t max);
/* A power of two of bytes from min to max; K and M are units. */
bool value_size(uint64_t *out, struct value_text text, uint64_t min, uint64_t max);
/* com1 to com4; the port in hexadecimal, from 0x1 to 0xfff8; mem: or mem32: and an address in hexadecimal;
 * bus:device.function of a PCI card; spcr. */
bool value_uart(struct uart_place *out, struct value_text text);
/* bus:device.function in hexadecimal, as lspci prints it, with segment: in front, four digits, where it is not 0:
 * segment << 16 | bus << 8 | device << 3 | function. */
bool value_bdf(uint32_t *out, struct value_text text);
/* Six bytes in hexadecimal, two digits each, colons between them. */
bool value_mac(uint8_t out[6], struct value_text text);
/* a.b.c.d, in host byte order. */
bool value_ip(uint32_t *out, struct value_text text);

#endif
