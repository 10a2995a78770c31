/*
 * A PCI function that sleeps: awake again. Core; configuration space is read and written by functions.
 *
 * Source: PCI Bus Power Management Interface Specification 1.2, sections 3.2 (capability), 5.4.1 (D3hot to D0), 5.6.1
 * (10 ms).
 */
#ifndef SERIAL_PCI_PCI_POWER_H
#define SERIAL_PCI_PCI_POWER_H

#include <stdbool.h>
#include <stdint.h>

struct pci_config {
    uint32_t (*read)(void *context, uint32_t place, uint32_t offset);
    void (*write)(void *context, uint32_t place, uint32_t offset, uint32_t value);
    void (*wait_us)(void *context, uint32_t us);
    void *context;
};

/* Put the function into D0 if it is not, with its BARs, cache line and interrupt line as they were: it may forget them
 * on the way. For a type 0 header. Returns whether it slept. */
bool pci_wake(const struct pci_config *config, uint32_t place);

#endif
