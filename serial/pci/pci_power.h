/*
 * Waking a PCI function from a sleep state. Core: the caller passes functions that access configuration space.
 *
 * Source: PCI Bus Power Management Interface Specification 1.2, sections 3.2 (capability), 5.4.1 (D3hot to D0), 5.6.1
 * (10 ms).
 */
#ifndef SERIAL_PCI_PCI_POWER_H
#define SERIAL_PCI_PCI_POWER_H

#include <stdbool.h>
#include <stdint.h>

struct pci_config {
    uint32_t (*read)(void *context, uint32_t sbdf, uint32_t offset);
    void (*write)(void *context, uint32_t sbdf, uint32_t offset, uint32_t value);
    void (*wait_us)(void *context, uint32_t us);
    void *context;
};

/* Put a function with a type 0 header into D0. Its BARs, cache line size and interrupt line are restored, as the
 * transition may reset them. Returns whether it was in another state. */
bool pci_wake(const struct pci_config *config, uint32_t sbdf);

#endif
