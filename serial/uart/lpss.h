/*
 * Intel's UARTs in chipsets (LPSS, "Serial IO"): a 16550 whose registers are doublewords, followed by private registers
 * for reset, clock and kind. Core.
 *
 * Source: Intel's PCH datasheets, volume 2, "UART Memory Mapped Registers" and "UART Additional Registers" (PPR_CLK at
 * 200H, PPR_RESETS at 204H, REMAP_ADDR at 240H, CAPABILITIES at 2FCH); the input clocks are from Linux's
 * drivers/mfd/intel-lpss-pci.c.
 */
#ifndef SERIAL_UART_LPSS_H
#define SERIAL_UART_LPSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/register_access.h"

/* Can a PCI function be such a UART? They have no serial controller's class code, and other functions of the chipset
 * share theirs; lpss_start finds out. id: device << 16 | vendor. class_code: 24 bits. */
bool lpss_may_be(uint32_t id, uint32_t class_code);

/* The frequency of the divider's input clock in Hz. */
uint32_t lpss_input_hz(uint32_t id);

/* The fields M and N of the clock register, so that input_hz * M / N is wanted_hz, within one part in 1000. 0: no
 * divider gives it. */
uint32_t lpss_divider(uint32_t input_hz, uint32_t wanted_hz);

/* Take the UART whose registers are at physical address pa out of reset, and set its clock to 16 * base Hz. Returns
 * NULL, or the reason why that is impossible, for a message. */
const char *lpss_start(const struct register_access *access, uint32_t id, uint64_t pa, uint32_t base);

#endif
