/*
 * The bridges above a PCI function, and which of them exist for it alone. Core; configuration space is read by a
 * function.
 *
 * Source: PCI-to-PCI Bridge Architecture Specification 1.2, section 3.2 (type 1 header: bus numbers).
 */
#ifndef SERIAL_PCI_PCI_PATH_H
#define SERIAL_PCI_PCI_PATH_H

#include <stdint.h>

#define PCI_PATH_MAX 6u /* bridges; a root port, and a switch's two, are three */

/* A doubleword of the configuration space of bdf (bus << 8 | device << 3 | function); all ones: there is no function.
 */
typedef uint32_t pci_config_read(void *context, uint16_t bdf, uint32_t offset);

struct pci_path {
    uint8_t nr;       /* bridges between the function and its root bus */
    uint8_t nr_alone; /* so many of them, from the function's on, lead to nothing else, and can vanish with it */
    uint16_t bridges[PCI_PATH_MAX]; /* the one whose secondary bus the function is on, then that above it, ... */
};

/* Of the function at bdf. What is more than PCI_PATH_MAX bridges away ends there. */
void pci_path_find(struct pci_path *path, pci_config_read *read, void *context, uint16_t bdf);

#endif
