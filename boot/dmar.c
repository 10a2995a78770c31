#include "boot/dmar.h"

#include <stddef.h>

#include "boot/bytes.h"
#include "boot/dmar_registers.h"

enum { TABLE_CHECKSUM = 9, TABLE_STRUCTURES = 48 };
enum { STRUCTURE_LENGTH = 2, DRHD_SEGMENT = 6, DRHD_BASE = 8, DRHD_SIZE = 16 };
#define TYPE_DRHD 0u

#define WAIT_US 10u
#define WAITS 10000u

static void add_unit(struct dmar *dmar, const uint8_t *drhd)
{
    if (dmar->nr_units == DMAR_MAX_UNITS) {
        dmar->nr_more++;
        return;
    }
    dmar->segments[dmar->nr_units] = read16(drhd + DRHD_SEGMENT);
    dmar->units[dmar->nr_units++] = read64(drhd + DRHD_BASE);
}

void dmar_read(struct dmar *dmar, const uint8_t *table, uint32_t size, uint64_t pa)
{
    *dmar = (struct dmar){.pa = pa};
    for (uint32_t at = TABLE_STRUCTURES; at < size && size - at >= 4;) {
        const uint32_t length = read16(table + at + STRUCTURE_LENGTH);
        if (length < 4 || length > size - at)
            return;
        if (read16(table + at) == TYPE_DRHD && length >= DRHD_SIZE)
            add_unit(dmar, table + at);
        at += length;
    }
}

void dmar_hide(uint8_t *table)
{
    table[TABLE_CHECKSUM] = (uint8_t)(table[TABLE_CHECKSUM] + table[0] - 'X');
    table[0] = 'X';
}

bool dmar_wait(const struct dmar_access *access, uint32_t offset, uint32_t bits, uint32_t should)
{
    for (uint32_t i = 0; i < WAITS; i++) {
        if ((dmar_get(access, offset) & bits) == should)
            return true;
        access->wait_us(access->context, WAIT_US);
    }
    return false;
}

bool dmar_switch(const struct dmar_access *access, uint32_t bit, bool on)
{
    const uint32_t status = dmar_get(access, DMAR_GSTS), should = on ? bit : 0;

    if ((status & bit) == should)
        return true;
    dmar_set(access, DMAR_GCMD, (status & DMAR_LASTING & ~bit) | should);
    return dmar_wait(access, DMAR_GSTS, bit, should);
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
