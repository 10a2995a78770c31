/*
 * The bridges above a PCI function, and which of them lead to nothing else. Core: the caller passes a function that
 * reads configuration space.
 *
 * Source: PCI-to-PCI Bridge Architecture Specification 1.2, section 3.2 (type 1 header: bus numbers).
 */
#ifndef SERIAL_PCI_PCI_PATH_H
#define SERIAL_PCI_PCI_PATH_H

#include <stdint.h>

#define PCI_PATH_MAX 6u /* bridges; a root port and a switch are three */

/* Read a doubleword of the configuration space of bdf (bus << 8 | device << 3 | function). All bits are 1 if there is
 * no function. */
typedef uint32_t pci_config_read(void *context, uint16_t bdf, uint32_t offset);

struct pci_path {
    uint8_t nr;           /* bridges between the function and its root bus */
    uint8_t nr_exclusive; /* so many of bridges, from the first, lead only to the function and can be hidden with it */
    uint16_t bridges[PCI_PATH_MAX]; /* from the one directly above the function upwards */
};

/* Find the path of the function at bdf. It ends after PCI_PATH_MAX bridges. */
void pci_path_find(struct pci_path *path, pci_config_read *read, void *context, uint16_t bdf);

#endif
