/*
 * Intel's serial UARTs in chipsets (LPSS, "Serial IO"): a 16550 whose registers are doublewords, with private ones
 * behind: reset, clock, kind. Core.
 *
 * Source: Intel's PCH datasheets, volume 2, "UART Memory Mapped Registers" and "UART Additional Registers" (PPR_CLK at
 * 200H, PPR_RESETS at 204H, REMAP_ADDR at 240H, CAPABILITIES at 2FCH); the input clocks are those of Linux's
 * drivers/mfd/intel-lpss-pci.c.
 */
#ifndef SERIAL_UART_LPSS_H
#define SERIAL_UART_LPSS_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/nic/nic.h"

/* Of Intel, by PCI id (device << 16 | vendor). */
bool lpss_may_be(uint32_t id);

/* The clock in Hz that its divider divides. */
uint32_t lpss_input_hz(uint32_t id);

/* The clock register's fields M and N, so that input_hz * M / N is wanted_hz, or next to it: within a part in 1000.
 * 0: it cannot be. */
uint32_t lpss_divider(uint32_t input_hz, uint32_t wanted_hz);

/* Take the one whose registers are at physical address pa out of its reset, and give its UART a clock of 16 * base Hz.
 * NULL, or why not, for a message. */
const char *lpss_start(const struct nic_access *access, uint32_t id, uint64_t pa, uint32_t base);

#endif
