/* Kind: core */
#include "vmx/policy/bios_map.h"

#include <stddef.h>

#include "base/bytes.h"

#define SMAP 0x534d4150u /* "SMAP" */
#define TYPE_USABLE 1u
#define AH_UNSUPPORTED 0x86u

#define MIB (1ull << 20)
#define KIB 1024u
#define BLOCK 0x10000u                /* E801h counts memory above 16 MiB in blocks of 64 KiB */
#define EXTENDED_KIB_MAX 0xfc00u      /* 88h: BIOSes report at most 63 MiB */
#define BELOW_16_MIB_KIB (15u * 1024) /* E801h */

static enum bios_answer refuse(struct bios_registers *r)
{
    r->eax = (r->eax & ~0xff00u) | AH_UNSUPPORTED << 8;
    return BIOS_REFUSED;
}

static uint64_t entry_start(const uint8_t *entry)
{
    return read64(entry);
}

static uint64_t entry_end(const uint8_t *entry)
{
    return read64(entry) + read64(entry + 8);
}

/* The end of the usable memory that begins at 1 MiB. Entries may adjoin, in any order. */
static uint64_t extended_end(const struct vmx_bios *bios)
{
    uint64_t end = MIB, before;

    do {
        before = end;
        for (uint32_t i = 0; i < bios->nr_entries; i++) {
            const uint8_t *entry = bios->entries + i * VMX_E820_ENTRY_SIZE;

            if (read32(entry + 16) == TYPE_USABLE && entry_start(entry) <= end && entry_end(entry) > end)
                end = entry_end(entry);
        }
    } while (end != before);
    return end;
}

static uint32_t at_most(uint64_t value, uint32_t limit)
{
    return value < limit ? (uint32_t)value : limit;
}

/* EBX continues: the number of the next entry here, which callers must not interpret. */
static enum bios_answer entry_next(struct bios_registers *r, const struct vmx_bios *bios, const uint8_t **entry)
{
    if (r->edx != SMAP || r->ecx < VMX_E820_ENTRY_SIZE || r->ebx >= bios->nr_entries)
        return refuse(r);
    *entry = bios->entries + r->ebx * VMX_E820_ENTRY_SIZE;
    r->eax = SMAP;
    r->ecx = VMX_E820_ENTRY_SIZE;
    r->ebx = r->ebx + 1 < bios->nr_entries ? r->ebx + 1 : 0;
    return BIOS_DONE;
}

/* E801h leaves the upper halves of the registers. */
static enum bios_answer two_sizes(struct bios_registers *r, const struct vmx_bios *bios)
{
    const uint64_t end = extended_end(bios);
    const uint32_t keep = (r->eax & 0xffff) == 0xe801 ? 0xffff0000u : 0;
    const uint32_t below = at_most((end - MIB) / KIB, BELOW_16_MIB_KIB);
    const uint32_t above = end > 16 * MIB ? at_most((end - 16 * MIB) / BLOCK, 0xffff) : 0;

    r->eax = (r->eax & keep) | below;
    r->ecx = (r->ecx & keep) | below;
    r->ebx = (r->ebx & keep) | above;
    r->edx = (r->edx & keep) | above;
    return BIOS_DONE;
}

static enum bios_answer extended_size(struct bios_registers *r, const struct vmx_bios *bios)
{
    r->eax = (r->eax & 0xffff0000u) | at_most((extended_end(bios) - MIB) / KIB, EXTENDED_KIB_MAX);
    return BIOS_DONE;
}

enum bios_answer bios_map_call(struct bios_registers *registers, const struct vmx_bios *bios, const uint8_t **entry)
{
    *entry = NULL;
    switch (registers->eax & 0xffff) {
    case 0xe820:
        return entry_next(registers, bios, entry);
    case 0xe801:
    case 0xe881:
        return two_sizes(registers, bios);
    case 0xda88: /* other BIOSes' sizes of memory, which few loaders ask for */
        return refuse(registers);
    default:
        break;
    }
    switch (registers->eax >> 8 & 0xff) {
    case 0x88:
        return extended_size(registers, bios);
    case 0x8a:
    case 0xc7:
        return refuse(registers);
    default:
        return BIOS_PASS;
    }
}
