/*
 * ACPI's Serial Port Console Redirection table: the UART of firmware's console.
 *
 * Source: Microsoft, "Serial Port Console Redirection Table", revision 4: interface type at 36, base address at 40.
 */
#ifndef BOOT_ACPI_SPCR_H
#define BOOT_ACPI_SPCR_H

#include <stdint.h>

#include "serial/uart/uart_place.h"

/* Parse a whole table. kind UART_NONE: the UART is not a 16550. */
struct uart_place spcr_read(const uint8_t *table, uint32_t size);

#endif
