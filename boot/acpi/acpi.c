/* Kind: core, init */
#include "boot/acpi/acpi.h"

#include <string.h>

#include "base/bytes.h"
#include "boot/acpi/gas.h"
#include "boot/acpi/sleep_types.h"

#define TABLE_HEADER_SIZE 36u
#define TABLE_MAX_SIZE 0x100000u /* larger than any table that is read here */

enum rsdp_field { RSDP_REVISION = 15, RSDP_RSDT = 16, RSDP_XSDT = 24 };
enum fadt_field {
    FADT_DSDT = 40,
    FADT_PM1A_CNT = 64,
    FADT_PM1B_CNT = 68,
    FADT_FLAGS = 112,
    FADT_RESET_REG = 116,
    FADT_RESET_VALUE = 128,
    FADT_X_DSDT = 140,
    FADT_X_PM1A_CNT = 172,
    FADT_X_PM1B_CNT = 184,
    FADT_SLEEP_CONTROL = 244
};
#define FADT_FLAG_RESET_REG_SUP (1u << 10)

static const uint8_t *acpi_view(const struct acpi_memory *memory, uint64_t pa, uint64_t size)
{
    return memory->map(memory->context, pa, size);
}

/* A whole table and its size; NULL if it is not mapped. Its checksum does not matter: Linux uses a table whose checksum
 * is wrong, so it would start CPUs and find devices that we had overlooked. */
static const uint8_t *table_at(const struct acpi_memory *memory, uint64_t pa, uint32_t *size)
{
    const uint8_t *header = pa ? acpi_view(memory, pa, TABLE_HEADER_SIZE) : NULL;
    if (!header)
        return NULL;
    *size = read32(header + 4);
    if (*size < TABLE_HEADER_SIZE || *size > TABLE_MAX_SIZE)
        return NULL;
    return acpi_view(memory, pa, *size);
}

/* The I/O port in a generic address structure; 0 if it is not an I/O port. */
static uint16_t gas_port(const uint8_t *table, uint32_t size, uint32_t at)
{
    if (at + GAS_SIZE > size || table[at + GAS_SPACE] != GAS_SPACE_IO)
        return 0;
    uint64_t address = read64(table + at + GAS_ADDRESS);
    return address <= 0xffff ? (uint16_t)address : 0;
}

static uint16_t legacy_port(const uint8_t *table, uint32_t size, uint32_t at)
{
    if (at + 4 > size)
        return 0;
    uint32_t port = read32(table + at);
    return port <= 0xffff ? (uint16_t)port : 0;
}

/* The DSDT, which is listed in the FADT and not in the root table. */
static void read_dsdt(struct acpi_facts *facts, const struct acpi_memory *memory, const uint8_t *fadt, uint32_t size)
{
    const uint64_t extended = size >= FADT_X_DSDT + 8 ? read64(fadt + FADT_X_DSDT) : 0;
    const uint64_t pa = extended ? extended : size >= FADT_DSDT + 4 ? read32(fadt + FADT_DSDT) : 0;
    uint32_t dsdt_size;
    const uint8_t *dsdt = table_at(memory, pa, &dsdt_size);
    if (dsdt)
        facts->sleep_types |= sleep_types_find(dsdt, dsdt_size);
}

static void read_fadt(struct acpi_facts *facts, const uint8_t *table, uint32_t size)
{
    /* X_ fields take precedence unless they are 0 (ACPI 5.2.9). */
    uint16_t a = gas_port(table, size, FADT_X_PM1A_CNT), b = gas_port(table, size, FADT_X_PM1B_CNT);
    facts->pm1a_cnt = a ? a : legacy_port(table, size, FADT_PM1A_CNT);
    facts->pm1b_cnt = b ? b : legacy_port(table, size, FADT_PM1B_CNT);
    facts->sleep_control = gas_port(table, size, FADT_SLEEP_CONTROL);
    facts->sleep_elsewhere = facts->sleep_control == 0 && size >= FADT_SLEEP_CONTROL + GAS_SIZE &&
                             read64(table + FADT_SLEEP_CONTROL + GAS_ADDRESS) != 0;
    if (size > FADT_RESET_VALUE && read32(table + FADT_FLAGS) & FADT_FLAG_RESET_REG_SUP) {
        facts->reset_port = gas_port(table, size, FADT_RESET_REG);
        facts->reset_value = table[FADT_RESET_VALUE];
        facts->reset_elsewhere = facts->reset_port == 0 && read64(table + FADT_RESET_REG + GAS_ADDRESS) != 0;
    }
}

/* Ignore entries at address 0, not aligned to a bus, or without a bus. */
static bool is_ecam(const struct pci_ecam *e)
{
    return e->pa != 0 && e->pa % (1u << 20) == 0 && e->first_bus <= e->last_bus;
}

static void read_mcfg(struct acpi_facts *facts, const uint8_t *table, uint32_t size)
{
    struct pci_ecams *ecams = &facts->ecams;

    for (uint32_t at = TABLE_HEADER_SIZE + 8; size >= 16 && at <= size - 16 && ecams->nr < PCI_ECAM_MAX; at += 16) {
        const struct pci_ecam e = {.pa = read64(table + at),
                                   .segment = read16(table + at + 8),
                                   .first_bus = table[at + 10],
                                   .last_bus = table[at + 11]};
        if (is_ecam(&e))
            ecams->list[ecams->nr++] = e;
    }
}

static void read_table(struct acpi_facts *facts, const uint8_t *table, uint32_t size, uint64_t pa)
{
    if (memcmp(table, "FACP", 4) == 0)
        read_fadt(facts, table, size);
    else if (memcmp(table, "SSDT", 4) == 0)
        facts->sleep_types |= sleep_types_find(table, size);
    else if (memcmp(table, "MCFG", 4) == 0)
        read_mcfg(facts, table, size);
    else if (memcmp(table, "APIC", 4) == 0 && facts->cpus.nr == 0)
        madt_read(&facts->cpus, table, size);
    else if (memcmp(table, "DMAR", 4) == 0)
        dmar_read(&facts->dmar, table, size, pa);
    else if (memcmp(table, "SPCR", 4) == 0)
        facts->spcr = spcr_read(table, size);
}

static void read_root(struct acpi_facts *facts, const struct acpi_memory *memory, const uint8_t *root, uint32_t size,
                      uint32_t pointer_size)
{
    for (uint32_t at = TABLE_HEADER_SIZE; size - at >= pointer_size; at += pointer_size) {
        uint64_t pa = pointer_size == 8 ? read64(root + at) : read32(root + at);
        uint32_t table_size;
        const uint8_t *table = table_at(memory, pa, &table_size);
        if (table)
            read_table(facts, table, table_size, pa);
        else if (pa != 0)
            facts->nr_unread++;
        if (table && memcmp(table, "FACP", 4) == 0)
            read_dsdt(facts, memory, table, table_size);
    }
}

void acpi_read(struct acpi_facts *facts, const struct acpi_memory *memory, const uint8_t *rsdp, size_t rsdp_size)
{
    uint32_t size;
    const uint8_t *root = NULL;
    *facts = (struct acpi_facts){0};
    if (rsdp_size < 20)
        return;
    if (rsdp_size >= 36 && rsdp[RSDP_REVISION] >= 2)
        root = table_at(memory, read64(rsdp + RSDP_XSDT), &size);
    if (root && memcmp(root, "XSDT", 4) == 0) {
        read_root(facts, memory, root, size, 8);
        return;
    }
    root = table_at(memory, read32(rsdp + RSDP_RSDT), &size);
    if (root && memcmp(root, "RSDT", 4) == 0)
        read_root(facts, memory, root, size, 4);
}

/* UEFI Specification 2.10, section 4.6 "EFI Configuration Table": the GUIDs of ACPI 2.0 and ACPI 1.0, as bytes. */
static const uint8_t guid_acpi_20[16] = {0x71, 0xe8, 0x68, 0x88, 0xf1, 0xe4, 0xd3, 0x11,
                                         0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81};
static const uint8_t guid_acpi_10[16] = {0x30, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11,
                                         0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d};

static uint64_t locate_efi(const struct acpi_memory *memory, uint64_t system_table, const uint8_t *rsdp, size_t size)
{
    const uint8_t *table = acpi_view(memory, system_table, 120);
    if (!table)
        return 0;
    uint64_t nr = read64(table + 104), entries = read64(table + 112);
    for (uint64_t i = 0; i < nr && i < 256; i++) {
        const uint8_t *entry = acpi_view(memory, entries + i * 24, 24);
        if (!entry)
            return 0;
        if (memcmp(entry, guid_acpi_20, 16) != 0 && memcmp(entry, guid_acpi_10, 16) != 0)
            continue;
        uint64_t pa = read64(entry + 16);
        const uint8_t *found = acpi_view(memory, pa, size);
        if (found && memcmp(found, rsdp, size) == 0)
            return pa;
    }
    return 0;
}

static uint64_t locate_in(const struct acpi_memory *memory, uint64_t start, uint64_t end, const uint8_t *rsdp,
                          size_t size)
{
    for (uint64_t pa = start; pa + size <= end; pa += 16) {
        const uint8_t *found = acpi_view(memory, pa, size);
        if (found && memcmp(found, rsdp, size) == 0)
            return pa;
    }
    return 0;
}

uint64_t acpi_rsdp_locate(const struct acpi_memory *memory, const uint8_t *rsdp, size_t rsdp_size,
                          uint64_t efi_system_table)
{
    if (rsdp_size < 20)
        return 0;
    if (efi_system_table)
        return locate_efi(memory, efi_system_table, rsdp, rsdp_size);
    const uint8_t *ebda = acpi_view(memory, 0x40e, 2);
    uint64_t ebda_pa = ebda ? (uint64_t)read16(ebda) << 4 : 0;
    uint64_t pa = ebda_pa ? locate_in(memory, ebda_pa, ebda_pa + 1024, rsdp, rsdp_size) : 0;
    return pa ? pa : locate_in(memory, 0xe0000, 0x100000, rsdp, rsdp_size);
}
