/*
 * Just enough PCI to find the NIC. Segment 0 by configuration mechanism #1, which all machines have for all of its
 * buses, and which needs no table of the firmware's to be true; other segments by ECAM, as nothing else reaches them.
 * Shell.
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
    uint32_t place;  /* segment << 16 | bus << 8 | device << 3 | function */
    uint32_t id;     /* device << 16 | vendor: configuration space's first doubleword */
    uint64_t bar_pa; /* its registers: the first BAR that is memory */
    uint64_t bar_bytes;
    uint32_t command;                       /* as it was found */
    struct pci_path path;                   /* in its segment */
    uint32_t bridge_commands[PCI_PATH_MAX]; /* as they were found */
};

/* From now on ecams is used, mapped by map, a page at a time: it may take away again what it showed before. */
void pci_use_ecam(const struct pci_ecams *ecams, void *(*map)(uint64_t pa));

/* The first function at *place or behind it; *place is its place then, and 0 where the search begins. false: there is
 * none any more. */
bool pci_find(uint32_t *place, uint32_t *id);

/* A function's revision; its class code, of 24 bits. */
uint8_t pci_revision(uint32_t place);
uint32_t pci_class(uint32_t place);

/* Let the bridges above a function pass on what is for it, and it decode memory, and no more: what it was told to do in
 * memory before may not be its business now. false: no BAR of its is memory, or the first one has no place; it is as it
 * was. */
bool pci_open(struct pci_function *function, uint32_t place);

/* Let it be bus master, too, and answer at no I/O port. */
void pci_use(const struct pci_function *function);

/* It is not to be ours: as pci_open found it. */
void pci_close(const struct pci_function *function);

/* A BAR: where it is. */
struct pci_bar {
    uint32_t id;
    bool lpss;   /* a chipset's own: serial/uart/lpss.h */
    bool memory; /* or in I/O ports */
    uint64_t at;
};

/* Let a serial controller (class 0700, or what may be one of Intel's LPSS) answer at its BAR 0, awake. false: there is
 * none, or it has no place. */
bool pci_open_serial(struct pci_bar *bar, uint32_t place);

/* Take memory decoding and bus mastering away again. */
void pci_disable(const struct pci_function *function);

#endif
