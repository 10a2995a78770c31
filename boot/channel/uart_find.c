/* Kind: shell, init */
#include "boot/channel/uart_find.h"

#include "base/mmio.h"
#include "boot/memory/mapped.h"
#include "serial/pci/pci.h"
#include "serial/uart/lpss.h"

#define PAGE_BYTES 4096u
#define CLASS_SERIAL 0x0700u

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

/* The registers of a card are bytes, like those of a 16550 at I/O ports. Those of a chipset's UART (LPSS) are
 * doublewords.
 */
static const char *on_pci(struct uart_found *found, uint32_t sbdf, uint32_t base, uart_map *map)
{
    struct mmio mmio;
    struct pci_bar bar;
    const uint32_t id = pci_id(sbdf);
    const uint32_t class_code = pci_class(sbdf);
    const bool lpss = lpss_may_be(id, class_code);
    if ((class_code >> 8 != CLASS_SERIAL && !lpss) || !pci_open_bar0(&bar, sbdf))
        return "not a serial controller (PCI class 0700H or a chipset's LPSS UART), or it has no BAR 0";
    found->on_pci = true;
    found->sbdf = sbdf;
    if (!bar.memory)
        found->uart.port = (uint16_t)bar.at;
    const char *missing = bar.memory ? in_memory(found, bar.at, lpss, map) : NULL;
    if (missing || !lpss)
        return missing;
    const struct register_access access = mmio_access(&mmio, found->uart.memory);
    return lpss_start(&access, id, bar.at, base);
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
