/*
 * Which I/O ports exit, and which writes take the machine down. Core.
 *
 * Source: SDM "I/O-Bitmap Addresses"; ACPI "PM1 Control Registers", "Reset Register"; the chipsets' reset control
 * register at 0CF9H.
 */
#ifndef VMX_IO_PORTS_H
#define VMX_IO_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/vmx.h"

#define PORT_CONFIG_ADDRESS 0xcf8u
#define PORT_RESET_CONTROL 0xcf9u
#define PORT_KEYBOARD_COMMAND 0x64u

#define IO_BITMAPS_SIZE 8192u /* A, ports 0 to 7FFFH, then B */

/* Fill in both bitmaps: a bit is set where an access must exit. */
void io_ports_bitmap(uint8_t bitmaps[IO_BITMAPS_SIZE], const struct vmx_ports *ports);

/* One of the eight ports of our UART? */
bool io_port_is_hidden(const struct vmx_ports *ports, uint16_t port);

/* Would writing size bytes (1, 2, 4) of value to port power the machine off, put it to sleep or reset it? */
bool io_write_ends(const struct vmx_ports *ports, uint16_t port, unsigned size, uint32_t value);

/* ... of these, one that the machine wakes from with its memory as it is: S1 to S3? */
bool io_write_sleeps(const struct vmx_ports *ports, uint16_t port, unsigned size, uint32_t value);

#endif
