/*
 * Just enough PCI to find the NIC: configuration mechanism #1. Shell.
 *
 * Source: PCI Local Bus Specification 3.0, section 3.2.2.3.2 "Software Generation of Configuration Transactions".
 */
#ifndef SERIAL_PCI_H
#define SERIAL_PCI_H

#include <stdbool.h>
#include <stdint.h>

struct pci_function {
    uint16_t bdf; /* bus << 8 | device << 3 | function */
    uint32_t id;  /* device << 16 | vendor: configuration space's first doubleword */
    uint64_t bar0_pa;
    uint64_t bar0_bytes;
};

/* The first function at *bdf or behind it; *bdf is its place then, and 0 where the search begins. false: there is none
 * any more. */
bool pci_find(uint32_t *bdf, uint32_t *id);

/* Let the function decode memory and be bus master. false: its BAR 0 is no memory, or has no place. */
bool pci_enable(struct pci_function *function, uint32_t bdf);

/* Take memory decoding and bus mastering away again. */
void pci_disable(const struct pci_function *function);

#endif
