/*
 * PCI configuration space: finding, opening and hiding the channel's device. Segment 0 is accessed by configuration
 * mechanism #1, which every machine has for all of its buses and which depends on no firmware table. Other segments are
 * accessible only by ECAM. Shell.
 *
 * Source: PCI Local Bus Specification 3.0, section 3.2.2.3.2 "Software Generation of Configuration Transactions".
 */
#ifndef SERIAL_PCI_PCI_H
#define SERIAL_PCI_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/pci/pci_ecam.h"
#include "serial/pci/pci_path.h"

struct pci_function {
    uint32_t sbdf;   /* segment << 16 | bus << 8 | device << 3 | function */
    uint32_t id;     /* device << 16 | vendor: the first doubleword of configuration space */
    uint64_t bar_pa; /* its registers: the first memory BAR */
    uint64_t bar_bytes;
    uint32_t command;                       /* command register before pci_open */
    struct pci_path path;                   /* the bridges above it, in its segment */
    uint32_t bridge_commands[PCI_PATH_MAX]; /* their command registers before pci_open */
};

/* Use ecams from now on. map maps one page at a time, and may unmap the previous one. */
void pci_use_ecam(const struct pci_ecams *ecams, void *(*map)(uint64_t pa));

/* Find the first function at or after *sbdf, and return its address in *sbdf and its id. Start with 0. false: there are
 * no more functions. */
bool pci_find(uint32_t *sbdf, uint32_t *id);

/* The vendor and device id (as in struct pci_function) of a function, its revision, and its class code of 24 bits. All
 * bits are 1 if there is no function. */
uint32_t pci_id(uint32_t sbdf);
uint8_t pci_revision(uint32_t sbdf);
uint32_t pci_class(uint32_t sbdf);

/* Enable forwarding in the bridges above a function, and memory decoding in the function. Bus mastering stays off: an
 * earlier driver may have left DMA programmed. false: the function has no memory BAR, or no address is assigned to the
 * first one. Then nothing has changed. */
bool pci_open(struct pci_function *function, uint32_t sbdf);

/* Enable bus mastering, and disable I/O port decoding. */
void pci_use(const struct pci_function *function);

/* Restore the state before pci_open, for a function that is not used. */
void pci_close(const struct pci_function *function);

struct pci_bar {
    bool memory; /* else I/O ports */
    uint64_t at; /* physical address, or port */
};

/* Put a function into D0 and enable decoding of its BAR 0. false: no address is assigned to the BAR. */
bool pci_open_bar0(struct pci_bar *bar, uint32_t sbdf);

/* Disable memory decoding and bus mastering. */
void pci_disable(const struct pci_function *function);

#endif
