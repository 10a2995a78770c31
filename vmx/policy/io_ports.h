/*
 * Which I/O ports exit, and which writes power the machine off, reset it or put it to sleep. Core.
 *
 * Source: SDM "I/O-Bitmap Addresses"; ACPI "PM1 Control Registers", "Reset Register"; the chipsets' reset control
 * register at 0CF9H.
 */
#ifndef VMX_POLICY_IO_PORTS_H
#define VMX_POLICY_IO_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/config.h"

#define PORT_CONFIG_ADDRESS 0xcf8u
#define PORT_RESET_CONTROL 0xcf9u
#define PORT_KEYBOARD_COMMAND 0x64u

#define IO_BITMAPS_SIZE 8192u /* A, ports 0 to 7FFFH, then B */

/* Fill in both bitmaps: a set bit makes accesses to its port exit. */
void io_ports_bitmap(uint8_t bitmaps[IO_BITMAPS_SIZE], const struct vmx_ports *ports);

/* Is it one of the eight ports of the channel's UART? */
bool io_port_is_hidden(const struct vmx_ports *ports, uint16_t port);

/* Would writing size bytes (1, 2, 4) of value to port power the machine off, put it to sleep or reset it? */
bool io_write_ends(const struct vmx_ports *ports, uint16_t port, unsigned size, uint32_t value);

/* ... and is that a sleep that preserves memory, S1 to S3? */
bool io_write_sleeps(const struct vmx_ports *ports, uint16_t port, unsigned size, uint32_t value);

#endif
