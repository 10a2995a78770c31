/* The location of a UART, as given by an option or an ACPI table; boot/channel/uart_find.c resolves it. Leaf header. */
#ifndef SERIAL_UART_UART_PLACE_H
#define SERIAL_UART_UART_PLACE_H

#include <stdint.h>

enum uart_kind {
    UART_NONE,
    UART_AT_PORT,     /* at: I/O port of its first register */
    UART_IN_MEMORY,   /* at: physical address; registers of one byte */
    UART_IN_MEMORY32, /* at: physical address; registers of 4 bytes */
    UART_PCI,         /* at: bus << 8 | device << 3 | function; its BAR 0 has the registers */
    UART_SPCR         /* the UART of the ACPI table SPCR */
};

struct uart_place {
    enum uart_kind kind;
    uint64_t at;
};

#endif
