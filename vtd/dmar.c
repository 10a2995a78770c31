/* Kind: core, init */
#include "vtd/dmar.h"

#include <stddef.h>

#include "base/bytes.h"
#include "vtd/dmar_registers.h"

enum { TABLE_CHECKSUM = 9, TABLE_FLAGS = 37, TABLE_STRUCTURES = 48 };
enum { STRUCTURE_LENGTH = 2, DRHD_FLAGS = 4, DRHD_SEGMENT = 6, DRHD_BASE = 8, DRHD_SIZE = 16 };
enum { SCOPE_TYPE = 0, SCOPE_LENGTH = 1, SCOPE_BUS = 5, SCOPE_DEVICE = 6, SCOPE_SIZE = 8 };
#define DMA_CTRL_PLATFORM_OPT_IN_FLAG (1u << 2)
#define INCLUDE_PCI_ALL 1u
#define TYPE_DRHD 0u
#define PAGE_BYTES 4096u
#define SCOPE_PCI_ENDPOINT 1u

/* The device of which all scopes are functions, each with a path of one step; else DMAR_NO_SLOT. */
static uint16_t slot_of(const uint8_t *drhd, uint32_t length)
{
    uint16_t slot = DMAR_NO_SLOT;

    if (drhd[DRHD_FLAGS] & INCLUDE_PCI_ALL)
        return DMAR_NO_SLOT;
    for (uint32_t at = DRHD_SIZE; at < length; at += SCOPE_SIZE) {
        const uint8_t *scope = drhd + at;
        if (length - at < SCOPE_SIZE || scope[SCOPE_TYPE] != SCOPE_PCI_ENDPOINT || scope[SCOPE_LENGTH] != SCOPE_SIZE)
            return DMAR_NO_SLOT;
        const uint16_t device = (uint16_t)(scope[SCOPE_BUS] << 8 | (scope[SCOPE_DEVICE] & 31) << 3);
        if (at != DRHD_SIZE && device != slot)
            return DMAR_NO_SLOT;
        slot = device;
    }
    return slot;
}

static void add_unit(struct dmar *dmar, const uint8_t *drhd, uint32_t length)
{
    if (dmar->nr_units == DMAR_MAX_UNITS) {
        dmar->nr_more++;
        return;
    }
    dmar->segments[dmar->nr_units] = read16(drhd + DRHD_SEGMENT);
    dmar->slots[dmar->nr_units] = slot_of(drhd, length);
    dmar->units[dmar->nr_units++] = read64(drhd + DRHD_BASE);
}

void dmar_read(struct dmar *dmar, const uint8_t *table, uint32_t size, uint64_t pa)
{
    *dmar = (struct dmar){.pa = pa,
                          .firmware_opts_in = size > TABLE_FLAGS && table[TABLE_FLAGS] & DMA_CTRL_PLATFORM_OPT_IN_FLAG};
    for (uint32_t at = TABLE_STRUCTURES; at < size && size - at >= 4;) {
        const uint32_t length = read16(table + at + STRUCTURE_LENGTH);
        if (length < 4 || length > size - at)
            return;
        if (read16(table + at) == TYPE_DRHD && length >= DRHD_SIZE)
            add_unit(dmar, table + at, length);
        at += length;
    }
}

bool dmar_is_reachable(const struct dmar *dmar, uint64_t end)
{
    for (unsigned i = 0; i < dmar->nr_units; i++)
        if (dmar->units[i] % PAGE_BYTES != 0 || dmar->units[i] >= end)
            return false;
    return dmar->nr_more == 0;
}

void dmar_hide(uint8_t *table)
{
    table[TABLE_CHECKSUM] = (uint8_t)(table[TABLE_CHECKSUM] + table[0] - 'X');
    table[0] = 'X';
}

static bool unprotect(const struct dmar_access *access)
{
    const uint32_t protection = dmar_get(access, DMAR_PMEN);

    if (!(protection & (DMAR_PMEN_ENABLE | DMAR_PMEN_STATUS)))
        return true;
    dmar_set(access, DMAR_PMEN, protection & ~DMAR_PMEN_ENABLE);
    return dmar_wait(access, DMAR_PMEN, DMAR_PMEN_STATUS, 0);
}

enum dmar_unit dmar_unit_stop(const struct dmar_access *access)
{
    const uint32_t status = dmar_get(access, DMAR_GSTS);

    if (status == DMAR_NO_REGISTER)
        return DMAR_UNIT_ABSENT;
    if (!(status & (DMAR_TRANSLATION | DMAR_INTERRUPT_REMAPPING)) &&
        !(dmar_get(access, DMAR_PMEN) & (DMAR_PMEN_ENABLE | DMAR_PMEN_STATUS)))
        return DMAR_UNIT_OFF;
    const bool off = dmar_switch(access, DMAR_TRANSLATION, false) &&
                     dmar_switch(access, DMAR_INTERRUPT_REMAPPING, false) && unprotect(access);
    return off ? DMAR_UNIT_STOPPED : DMAR_UNIT_STUCK;
}
