/* The UART that an option names: its registers, and what to hide from the guest. */
#ifndef BOOT_CHANNEL_UART_FIND_H
#define BOOT_CHANNEL_UART_FIND_H

#include <stdbool.h>

#include "boot/acpi/acpi.h"
#include "serial/uart/uart.h"
#include "vmx/vmx.h"

struct uart_found {
    struct uart uart;
    struct range memory; /* the pages of its registers; empty: it uses I/O ports */
    bool on_pci;
    uint32_t sbdf;
};

/* Maps registers at pa, uncacheable. */
typedef void *uart_map(uint64_t pa);

/* Returns NULL, or why the UART cannot be used, for a message. Enables a PCI function, and sets the clock of a
 * chipset's UART (LPSS) to 16 * base Hz. map NULL: use the existing mapping of the lower 4 GiB, and refuse registers
 * above. */
const char *uart_find(struct uart_found *found, const struct uart_place *place, const struct acpi_facts *acpi,
                      uint32_t base, uart_map *map);

#endif
