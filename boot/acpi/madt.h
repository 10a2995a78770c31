/*
 * The machine's processors as ACPI lists them: one APIC id each.
 *
 * Source: ACPI Specification 6.5, section 5.2.12 (MADT), 5.2.12.2 (Processor Local APIC), 5.2.12.12 (Processor
 * Local x2APIC).
 */
#ifndef BOOT_ACPI_MADT_H
#define BOOT_ACPI_MADT_H

#include <stdbool.h>
#include <stdint.h>

/* With more CPUs the guest boots without the hypervisor, as it could start a CPU that is not under our control. */
#define BOOT_MAX_CPUS 64u

struct madt_cpus {
    uint32_t nr;     /* 0: no MADT. May exceed BOOT_MAX_CPUS */
    bool incomplete; /* an entry has an invalid length: there may be more CPUs */
    uint32_t apic_ids[BOOT_MAX_CPUS];
};

/* Add the enabled processors of a whole MADT, each once. VISIBLE: processors that are only "online capable" are
 * ignored: they can be added later, and would not be under our control. An entry with an invalid length ends the list,
 * and makes it incomplete. */
void madt_read(struct madt_cpus *cpus, const uint8_t *table, uint32_t size);

/* Move apic_id to the front, or insert it there; the others keep their order. */
void madt_put_first(struct madt_cpus *cpus, uint32_t apic_id);

#endif
