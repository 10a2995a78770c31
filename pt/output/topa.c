/* Kind: core */
/*
 * ToPA entries, the output MSRs as values, and the processor's walk over the tables.
 *
 * Source: SDM "Table of Physical Addresses (ToPA)" (36.2.6.2), its subsections "ToPA Table Entry Format", "ToPA
 * STOP", "ToPA PMI" and "ToPA Errors".
 */
#include "pt/output/topa.h"

#define TOPA_RESERVED_LOW ((1ull << 1) | (1ull << 3) | (1ull << 5) | (3ull << 10))

int topa_size_code(uint64_t size_bytes)
{
    int code = size_bytes == 0 ? -1 : __builtin_ctzll(size_bytes) - __builtin_ctz(TOPA_MIN_REGION_BYTES);

    return code >= 0 && code < 16 && size_bytes >> code == TOPA_MIN_REGION_BYTES ? code : -1;
}

const char *topa_error_name(enum topa_error error)
{
    switch (error) {
    case TOPA_OK:
        return "no error";
    case TOPA_RESERVED_BITS:
        return "reserved bits are set in a ToPA entry";
    case TOPA_BASE_UNALIGNED:
        return "a ToPA table or output region is not aligned";
    case TOPA_ABOVE_MAXPHYADDR:
        return "a ToPA entry's address is above MAXPHYADDR";
    case TOPA_OFFSET_BEYOND:
        return "the output offset is not below the region's size";
    case TOPA_END_FIRST:
        return "a ToPA table's first entry is END";
    case TOPA_END_ELSEWHERE:
        return "on a part with a single output region, entry 1 is not an END that leads back to its table";
    }
    return "unknown ToPA error";
}

enum topa_error topa_entry_check(uint64_t entry, uint32_t index, unsigned maxphyaddr)
{
    if (entry & TOPA_RESERVED_LOW)
        return TOPA_RESERVED_BITS;
    if (maxphyaddr < 64 && entry >> maxphyaddr != 0)
        return TOPA_ABOVE_MAXPHYADDR;
    if (entry & TOPA_END) {
        if (entry & (TOPA_INT | TOPA_STOP))
            return TOPA_RESERVED_BITS;
        return index == 0 ? TOPA_END_FIRST : TOPA_OK;
    }
    if (topa_entry_base_pa(entry) & (topa_entry_size_bytes(entry) - 1))
        return TOPA_BASE_UNALIGNED;
    return TOPA_OK;
}

struct topa_ptrs topa_ptrs_unpack(uint64_t output_base, uint64_t output_mask_ptrs)
{
    struct topa_ptrs ptrs = {
        .table_pa = output_base,
        .index = (uint32_t)(output_mask_ptrs & 0xffffffff) >> 7,
        .offset = (uint32_t)(output_mask_ptrs >> 32),
    };
    return ptrs;
}

uint64_t topa_ptrs_pack(struct topa_ptrs ptrs)
{
    return (uint64_t)ptrs.offset << 32 | (uint64_t)(ptrs.index & TOPA_MAX_INDEX) << 7 | TOPA_PTRS_LOWER_ONES;
}

enum topa_error topa_walk_load(struct topa_walk *walk, topa_read_fn read, void *context, unsigned maxphyaddr,
                               bool single_region)
{
    if (walk->ptrs.table_pa & 0xfff)
        return TOPA_BASE_UNALIGNED;
    uint64_t entry = read(context, walk->ptrs.table_pa + 8ull * walk->ptrs.index);
    enum topa_error error = topa_entry_check(entry, walk->ptrs.index, maxphyaddr);
    if (error != TOPA_OK)
        return error;
    if (single_region && walk->ptrs.index == 1 && !(entry & TOPA_END))
        return TOPA_END_ELSEWHERE;
    if (entry & TOPA_END) {
        uint64_t next = topa_entry_base_pa(entry);
        if (single_region && next != walk->ptrs.table_pa)
            return TOPA_END_ELSEWHERE;
        walk->ptrs.table_pa = next;
        walk->ptrs.index = 0;
        walk->ptrs.offset = 0;
        /* END as a table's first entry is an error, so one step is enough. */
        entry = read(context, next);
        error = topa_entry_check(entry, 0, maxphyaddr);
        if (error != TOPA_OK)
            return error;
    }
    if (walk->ptrs.offset >= topa_entry_size_bytes(entry))
        return TOPA_OFFSET_BEYOND;
    walk->entry = entry;
    walk->region_pa = topa_entry_base_pa(entry);
    walk->region_bytes = (uint32_t)topa_entry_size_bytes(entry);
    return TOPA_OK;
}

unsigned topa_walk_advance(struct topa_walk *walk, uint32_t nr_bytes)
{
    walk->ptrs.offset += nr_bytes;
    if (walk->ptrs.offset < walk->region_bytes)
        return 0;
    unsigned events = TOPA_FILLED;
    if (walk->entry & TOPA_INT)
        events |= TOPA_FILLED_INT;
    if (walk->entry & TOPA_STOP)
        return events | TOPA_FILLED_STOP;
    walk->ptrs.index = walk->ptrs.index < TOPA_MAX_INDEX ? walk->ptrs.index + 1 : 0;
    walk->ptrs.offset = 0;
    return events;
}
