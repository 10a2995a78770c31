#include "boot/dmar.h"

#include <stddef.h>

#include "boot/bytes.h"

enum { TABLE_CHECKSUM = 9, TABLE_STRUCTURES = 48 };
enum { STRUCTURE_LENGTH = 2, DRHD_BASE = 8, DRHD_SIZE = 16 };
#define TYPE_DRHD 0u

enum { REGISTER_GCMD = 0x18, REGISTER_GSTS = 0x1c, REGISTER_PMEN = 0x64 };
#define TRANSLATION (1u << 31)         /* GCMD.TE, GSTS.TES */
#define INTERRUPT_REMAPPING (1u << 25) /* GCMD.IRE, GSTS.IRES */
#define LASTING 0x96ffffffu            /* of GSTS: what GCMD takes as it is, the rest are commands for once */
#define PROTECTED_MEMORY (1u << 31)    /* PMEN.EPM */
#define PROTECTION_STATUS 1u           /* PMEN.PRS */
#define NO_REGISTER 0xffffffffu
#define WAIT_US 10u
#define WAITS 10000u

void dmar_read(struct dmar *dmar, const uint8_t *table, uint32_t size, uint64_t pa)
{
    *dmar = (struct dmar){.pa = pa};
    for (uint32_t at = TABLE_STRUCTURES; at < size && size - at >= 4;) {
        const uint32_t length = read16(table + at + STRUCTURE_LENGTH);
        if (length < 4 || length > size - at)
            return;
        if (read16(table + at) == TYPE_DRHD && length >= DRHD_SIZE && dmar->nr_units < DMAR_MAX_UNITS)
            dmar->units[dmar->nr_units++] = read64(table + at + DRHD_BASE);
        at += length;
    }
}

void dmar_hide(uint8_t *table)
{
    table[TABLE_CHECKSUM] = (uint8_t)(table[TABLE_CHECKSUM] + table[0] - 'X');
    table[0] = 'X';
}

static uint32_t unit_get(const struct dmar_access *access, uint32_t offset)
{
    return access->read(access->context, offset);
}

static bool wait_clear(const struct dmar_access *access, uint32_t offset, uint32_t bits)
{
    for (uint32_t i = 0; i < WAITS; i++) {
        if (!(unit_get(access, offset) & bits))
            return true;
        access->wait_us(access->context, WAIT_US);
    }
    return false;
}

/* One at a time: the unit takes one command, and says when it is done. */
static bool switch_off(const struct dmar_access *access, uint32_t bit)
{
    const uint32_t status = unit_get(access, REGISTER_GSTS);

    if (!(status & bit))
        return true;
    access->write(access->context, REGISTER_GCMD, status & LASTING & ~bit);
    return wait_clear(access, REGISTER_GSTS, bit);
}

static bool unprotect(const struct dmar_access *access)
{
    const uint32_t protection = unit_get(access, REGISTER_PMEN);

    if (!(protection & (PROTECTED_MEMORY | PROTECTION_STATUS)))
        return true;
    access->write(access->context, REGISTER_PMEN, protection & ~PROTECTED_MEMORY);
    return wait_clear(access, REGISTER_PMEN, PROTECTION_STATUS);
}

enum dmar_unit dmar_unit_stop(const struct dmar_access *access)
{
    const uint32_t status = unit_get(access, REGISTER_GSTS);

    if (status == NO_REGISTER)
        return DMAR_UNIT_ABSENT;
    if (!(status & (TRANSLATION | INTERRUPT_REMAPPING)) &&
        !(unit_get(access, REGISTER_PMEN) & (PROTECTED_MEMORY | PROTECTION_STATUS)))
        return DMAR_UNIT_OFF;
    const bool off = switch_off(access, TRANSLATION) && switch_off(access, INTERRUPT_REMAPPING) && unprotect(access);
    return off ? DMAR_UNIT_STOPPED : DMAR_UNIT_STUCK;
}
