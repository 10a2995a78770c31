/*
 * The few facts from ACPI that the hypervisor needs: power and reset registers, PCI configuration space, CPUs,
 * remapping units, the console's UART.
 *
 * Core; memory is accessed through a function, which checks each address. Source: ACPI Specification 6.5,
 * sections 5.2.5 (RSDP), 5.2.7 (RSDT), 5.2.8 (XSDT), 5.2.9 (FADT); PCI Firmware Specification 3.3, section 4.1.2
 * (MCFG).
 */
#ifndef BOOT_ACPI_ACPI_H
#define BOOT_ACPI_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/acpi/madt.h"
#include "boot/acpi/spcr.h"
#include "serial/pci/pci_ecam.h"
#include "vtd/dmar.h"

struct acpi_memory {
    /* size bytes of physical memory at pa; NULL if they are not mapped. */
    const uint8_t *(*map)(void *context, uint64_t pa, uint64_t size);
    void *context;
};

struct acpi_facts {
    uint16_t pm1a_cnt, pm1b_cnt; /* I/O ports; 0: none */
    uint16_t reset_port;         /* I/O port; 0: none, or not an I/O port */
    uint8_t reset_value;
    bool reset_elsewhere;   /* RESET_REG is in memory or in PCI configuration space */
    bool sleep_elsewhere;   /* the same for SLEEP_CONTROL_REG */
    uint16_t sleep_control; /* SLEEP_CONTROL_REG of hardware-reduced ACPI; 0: none, or not an I/O port */
    uint8_t sleep_types;    /* boot/acpi/sleep_types.h */
    struct pci_ecams ecams;
    struct madt_cpus cpus;
    uint32_t nr_unread; /* tables that are not mapped, or of invalid size; a guest may be able to read them */
    struct dmar dmar;
    struct uart_place spcr; /* UART_NONE: no SPCR table */
};

/* Walk the tables, starting with the RSDP's bytes. Facts from missing or invalid tables stay 0; a wrong checksum does
 * not make a table invalid. */
void acpi_read(struct acpi_facts *facts, const struct acpi_memory *memory, const uint8_t *rsdp, size_t rsdp_size);

/* The physical address of the RSDP of which rsdp is a copy. It is searched in the EFI configuration table if
 * efi_system_table is not 0, else in the EBDA and the BIOS area. 0: not found. */
uint64_t acpi_rsdp_locate(const struct acpi_memory *memory, const uint8_t *rsdp, size_t rsdp_size,
                          uint64_t efi_system_table);

#endif
