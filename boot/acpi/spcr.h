/*
 * ACPI's Serial Port Console Redirection table: where firmware has its console. Core.
 *
 * Source: Microsoft, "Serial Port Console Redirection Table", revision 4: interface type at 36, base address at 40.
 */
#ifndef BOOT_ACPI_SPCR_H
#define BOOT_ACPI_SPCR_H

#include <stdint.h>

#include "serial/uart/uart_place.h"

/* Of a whole table. kind UART_NONE: it is no 16550's. */
struct uart_place spcr_read(const uint8_t *table, uint32_t size);

#endif
