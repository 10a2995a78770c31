/*
 * PCI configuration space in memory (ECAM): which functions it has, and where. Core.
 *
 * A function's place is segment << 16 | bus << 8 | device << 3 | function.
 * Source: PCI Express Base Specification, section 7.2.2 "PCI Express Enhanced Configuration Access Mechanism (ECAM)";
 * PCI Firmware Specification 3.3, section 4.1.2 (table MCFG).
 */
#ifndef SERIAL_PCI_PCI_ECAM_H
#define SERIAL_PCI_PCI_ECAM_H

#include <stdint.h>

#define PCI_ECAM_MAX 16u
#define PCI_NO_PLACE 0xffffffffu
#define PCI_SEGMENT_OF(place) ((place) >> 16)
#define PCI_BUS_OF(place) ((place) >> 8 & 0xff)

/* The buses first_bus to last_bus of a segment. pa: where bus 0 is, or would be. */
struct pci_ecam {
    uint64_t pa;
    uint16_t segment;
    uint8_t first_bus, last_bus;
};

struct pci_ecams {
    struct pci_ecam list[PCI_ECAM_MAX];
    uint32_t nr;
};

/* The page of 4 KiB of the function; 0: it is in none of them. */
uint64_t pci_ecam_page(const struct pci_ecams *ecams, uint32_t place);

/* The lowest place from this one on, of segments above 0, that ECAM has. PCI_NO_PLACE: none. */
uint32_t pci_ecam_next(const struct pci_ecams *ecams, uint32_t place);

#endif
