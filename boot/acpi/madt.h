/*
 * The machine's processors, as ACPI lists them: one APIC id each.
 *
 * Core. Source: ACPI Specification 6.5, section 5.2.12 (MADT), 5.2.12.2 (Processor Local APIC), 5.2.12.12 (Processor
 * Local x2APIC).
 */
#ifndef BOOT_ACPI_MADT_H
#define BOOT_ACPI_MADT_H

#include <stdint.h>

/* More than so many, and there is no hypervisor: the guest could start one that is not ours. */
#define BOOT_MAX_CPUS 64u

struct madt_cpus {
    uint32_t nr; /* 0: no MADT. May be more than apic_ids holds */
    uint32_t apic_ids[BOOT_MAX_CPUS];
};

/* Add the processors that are enabled in a whole MADT, each once. VISIBLE: one that is only "online capable" is none:
 * it can be added to the machine later, and is not ours then. An entry that lies about its size ends the list. */
void madt_read(struct madt_cpus *cpus, const uint8_t *table, uint32_t size);

/* This one is the first; the others keep their order. It need not be in the list. */
void madt_put_first(struct madt_cpus *cpus, uint32_t apic_id);

#endif
