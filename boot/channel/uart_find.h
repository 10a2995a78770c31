/* The UART that an option names: its registers, and what of it the guest must not see. Shell. */
#ifndef BOOT_CHANNEL_UART_FIND_H
#define BOOT_CHANNEL_UART_FIND_H

#include <stdbool.h>

#include "boot/acpi/acpi.h"
#include "serial/uart/uart.h"
#include "vmx/vmx.h"

struct uart_found {
    struct uart uart;
    struct range memory; /* its registers' pages; empty: they are I/O ports */
    bool on_pci;
    uint32_t place;
};

/* Where registers at pa are mapped, uncacheable. */
typedef void *uart_map(uint64_t pa);

/* NULL, or why there is none, for a message. A PCI function answers from then on; a chipset's own (LPSS) has a clock of
 * 16 * base Hz. map NULL: by the tables in use, which map 4 GiB; registers above that are refused. */
const char *uart_find(struct uart_found *found, const struct uart_place *place, const struct acpi_facts *acpi,
                      uint32_t base, uart_map *map);

#endif
