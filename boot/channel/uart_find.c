/* Kind: shell, init */
#include "boot/channel/uart_find.h"

#include "boot/memory/mapped.h"
#include "serial/nic/nic_mmio.h"
#include "serial/pci/pci.h"
#include "serial/uart/lpss.h"

#define PAGE_BYTES 4096u

static const char *in_memory(struct uart_found *found, uint64_t pa, bool wide, uart_map *map)
{
    if (pa == 0)
        return "the address of its registers is 0";
    if (!map && !mapped_at(pa, PAGE_BYTES))
        return "its registers are above 4 GiB";
    const uint64_t page = pa & ~(uint64_t)(PAGE_BYTES - 1);
    found->uart.memory = map ? map(pa) : mapped_at(pa, PAGE_BYTES);
    found->uart.wide = wide;
    found->memory = (struct range){page, page + PAGE_BYTES};
    return NULL;
}

/* A card's registers are bytes, like those of a 16550 at I/O ports; a chipset's (LPSS) are doublewords. */
static const char *on_pci(struct uart_found *found, uint32_t place, uint32_t base, uart_map *map)
{
    struct nic_mmio mmio;
    struct pci_bar bar;
    if (!pci_open_serial(&bar, place))
        return "not a serial controller (PCI class 0700H or a chipset's LPSS UART), or it has no BAR 0";
    found->on_pci = true;
    found->place = place;
    if (!bar.memory)
        found->uart.port = (uint16_t)bar.at;
    const char *missing = bar.memory ? in_memory(found, bar.at, bar.lpss, map) : NULL;
    if (missing || !bar.lpss)
        return missing;
    const struct nic_access access = nic_mmio_access(&mmio, found->uart.memory);
    return lpss_start(&access, bar.id, bar.at, base);
}

const char *uart_find(struct uart_found *found, const struct uart_place *place, const struct acpi_facts *acpi,
                      uint32_t base, uart_map *map)
{
    *found = (struct uart_found){0};
    switch (place->kind) {
    case UART_NONE:
        return "no UART was given";
    case UART_AT_PORT:
        found->uart.port = (uint16_t)place->at;
        return NULL;
    case UART_IN_MEMORY:
    case UART_IN_MEMORY32:
        return in_memory(found, place->at, place->kind == UART_IN_MEMORY32, map);
    case UART_PCI:
        return on_pci(found, (uint32_t)place->at, base, map);
    case UART_SPCR:
        break;
    }
    if (acpi->spcr.kind == UART_NONE)
        return "ACPI has no SPCR table, or the table describes another kind of UART";
    return uart_find(found, &acpi->spcr, acpi, base, map);
}
