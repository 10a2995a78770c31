/* Kind: core, init */
#include "boot/acpi/madt.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

#define MADT_ENTRIES 44u

enum madt_type { MADT_LOCAL_APIC = 0, MADT_LOCAL_X2APIC = 9 };
#define LOCAL_APIC_SIZE 8u
#define LOCAL_X2APIC_SIZE 16u
#define FLAG_ENABLED (1u << 0)

/* All ones is the broadcast address, not a processor. */
#define NO_APIC_ID 0xffu
#define NO_X2APIC_ID 0xffffffffu

/* The index of apic_id in the list, or the number of entries if it is not there. */
static uint32_t madt_find(const struct madt_cpus *cpus, uint32_t apic_id)
{
    uint32_t i = 0;
    while (i < cpus->nr && i < BOOT_MAX_CPUS && cpus->apic_ids[i] != apic_id)
        i++;
    return i;
}

static void madt_add(struct madt_cpus *cpus, uint32_t apic_id)
{
    uint32_t index = madt_find(cpus, apic_id);
    if (index < cpus->nr && index < BOOT_MAX_CPUS)
        return;
    if (index < BOOT_MAX_CPUS)
        cpus->apic_ids[index] = apic_id;
    cpus->nr++;
}

/* The least valid length. */
static uint8_t entry_size(uint8_t type)
{
    return type == MADT_LOCAL_APIC ? LOCAL_APIC_SIZE : type == MADT_LOCAL_X2APIC ? LOCAL_X2APIC_SIZE : 2;
}

void madt_read(struct madt_cpus *cpus, const uint8_t *table, uint32_t size)
{
    for (uint32_t at = MADT_ENTRIES; at < size && size - at >= 2;) {
        const uint8_t *entry = table + at;
        uint8_t type = entry[0], length = entry[1];
        cpus->incomplete |= length < entry_size(type) || length > size - at;
        if (length < 2 || length > size - at)
            return;
        if (type == MADT_LOCAL_APIC && length >= LOCAL_APIC_SIZE) {
            if (read32(entry + 4) & FLAG_ENABLED && entry[3] != NO_APIC_ID)
                madt_add(cpus, entry[3]);
        } else if (type == MADT_LOCAL_X2APIC && length >= LOCAL_X2APIC_SIZE) {
            if (read32(entry + 8) & FLAG_ENABLED && read32(entry + 4) != NO_X2APIC_ID)
                madt_add(cpus, read32(entry + 4));
        }
        at += length;
    }
}

void madt_put_first(struct madt_cpus *cpus, uint32_t apic_id)
{
    uint32_t index = madt_find(cpus, apic_id);
    if (index >= cpus->nr || index >= BOOT_MAX_CPUS)
        cpus->nr++;
    if (index >= BOOT_MAX_CPUS)
        index = BOOT_MAX_CPUS - 1;
    memmove(&cpus->apic_ids[1], &cpus->apic_ids[0], index * sizeof cpus->apic_ids[0]);
    cpus->apic_ids[0] = apic_id;
}
