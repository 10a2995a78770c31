/*
 * The few ACPI facts that a hypervisor needs: where power goes off, where PCI configuration space is, which CPUs there
 * are.
 *
 * Core; memory is seen through a function, so that nothing here trusts an address. Source: ACPI Specification 6.5,
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
    /* size bytes of physical memory at pa, NULL where they are not to be had. */
    const uint8_t *(*map)(void *context, uint64_t pa, uint64_t size);
    void *context;
};

struct acpi_facts {
    uint16_t pm1a_cnt, pm1b_cnt; /* ports, 0 = none */
    uint16_t reset_port;         /* 0 = none, or not a port */
    uint8_t reset_value;
    bool reset_elsewhere;   /* RESET_REG is in memory or in PCI configuration space */
    bool sleep_elsewhere;   /* so is SLEEP_CONTROL_REG */
    uint16_t sleep_control; /* SLEEP_CONTROL_REG of hardware-reduced ACPI; 0 = none, or not a port */
    uint8_t sleep_types;    /* boot/acpi/sleep_types.h */
    struct pci_ecams ecams;
    struct madt_cpus cpus;
    struct dmar dmar;
    struct uart_place spcr; /* UART_NONE: there is no such table */
};

/* Walk the tables from the RSDP's bytes. What is missing or broken stays 0. */
void acpi_read(struct acpi_facts *facts, const struct acpi_memory *memory, const uint8_t *rsdp, size_t rsdp_size);

/* Where in memory the RSDP is of which rsdp holds the bytes: in the EFI configuration table if efi_system_table is not
 * 0, else in the EBDA or the BIOS area. 0: not found. */
uint64_t acpi_rsdp_locate(const struct acpi_memory *memory, const uint8_t *rsdp, size_t rsdp_size,
                          uint64_t efi_system_table);

#endif
