/*
 * PCI configuration space in memory (ECAM): which functions it covers, and where. Core.
 *
 * The address of a function, sbdf, is segment << 16 | bus << 8 | device << 3 | function.
 * Source: PCI Express Base Specification, section 7.2.2 "PCI Express Enhanced Configuration Access Mechanism (ECAM)";
 * PCI Firmware Specification 3.3, section 4.1.2 (table MCFG).
 */
#ifndef SERIAL_PCI_PCI_ECAM_H
#define SERIAL_PCI_PCI_ECAM_H

#include <stdint.h>

#define PCI_ECAM_MAX 16u
#define PCI_SBDF_NONE 0xffffffffu
#define PCI_SEGMENT_OF(sbdf) ((sbdf) >> 16)
#define PCI_BUS_OF(sbdf) ((sbdf) >> 8 & 0xff)

/* The region for buses first_bus to last_bus of a segment. pa is the address for bus 0, also if first_bus is not 0. */
struct pci_ecam {
    uint64_t pa;
    uint16_t segment;
    uint8_t first_bus, last_bus;
};

struct pci_ecams {
    struct pci_ecam list[PCI_ECAM_MAX];
    uint32_t nr;
};

/* The physical address of the function's 4-KiB page; 0: no region covers it. */
uint64_t pci_ecam_page(const struct pci_ecams *ecams, uint32_t sbdf);

/* The lowest address from sbdf on that a region covers, in segments above 0. PCI_SBDF_NONE: there is none. */
uint32_t pci_ecam_next(const struct pci_ecams *ecams, uint32_t sbdf);

#endif
