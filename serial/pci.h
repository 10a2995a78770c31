/*
 * Just enough PCI to find the NIC: configuration mechanism #1. Shell.
 *
 * Source: PCI Local Bus Specification 3.0, section 3.2.2.3.2 "Software Generation of Configuration Transactions".
 */
#ifndef SERIAL_PCI_H
#define SERIAL_PCI_H

#include <stdbool.h>
#include <stdint.h>

#define PCI_82540EM 0x100e8086u /* device 100EH, vendor 8086H: configuration space's first doubleword */

struct pci_function {
    uint16_t bdf; /* bus << 8 | device << 3 | function */
    uint64_t bar0_pa;
    uint64_t bar0_bytes;
};

/* Find the first function whose device and vendor are id (as in PCI_82540EM) with a memory BAR 0, and let it decode
 * memory and be bus master. false: there is none. */
bool pci_find(struct pci_function *found, uint32_t id);

/* Take memory decoding and bus mastering away again. */
void pci_disable(const struct pci_function *function);

#endif
