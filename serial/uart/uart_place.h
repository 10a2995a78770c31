/* Where a UART is, as an option or a table says it. Leaf header. */
#ifndef SERIAL_UART_UART_PLACE_H
#define SERIAL_UART_UART_PLACE_H

#include <stdint.h>

enum uart_kind {
    UART_NONE,
    UART_AT_PORT,     /* at: I/O port of its first register */
    UART_IN_MEMORY,   /* at: physical address; a byte each */
    UART_IN_MEMORY32, /* the same; its registers are 4 bytes apart, and read and written so */
    UART_PCI,         /* at: bus << 8 | device << 3 | function; BAR 0 says where */
    UART_SPCR         /* where ACPI's table SPCR says */
};

struct uart_place {
    enum uart_kind kind;
    uint64_t at;
};

#endif
