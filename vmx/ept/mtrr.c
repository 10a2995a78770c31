/* Kind: core */
#include "vmx/ept/mtrr.h"

const uint16_t mtrr_fixed_msrs[MTRR_NR_FIXED] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                                 0x26b, 0x26c, 0x26d, 0x26e, 0x26f};

#define FIXED_END 0x100000ull
#define PAGE 0x1000ull

/* Type of the page at address, below 1 MiB. Each register has eight bytes, one for each range of 64, 16 or 4 KiB. */
static int fixed_type(const struct mtrr_state *mtrr, uint64_t address)
{
    unsigned index;

    if (address < 0x80000)
        index = (unsigned)(address >> 16);
    else if (address < 0xc0000)
        index = 8 + (unsigned)((address - 0x80000) >> 14);
    else
        index = 24 + (unsigned)((address - 0xc0000) >> 12);
    return (int)(mtrr->fixed[index / 8] >> (index % 8 * 8) & 0xff);
}

static int fixed_block_type(const struct mtrr_state *mtrr, uint64_t start, uint64_t size)
{
    int type = fixed_type(mtrr, start);

    if (start + size > FIXED_END)
        return MEMORY_TYPE_MIXED;
    for (uint64_t at = start + PAGE; at < start + size; at += PAGE)
        if (fixed_type(mtrr, at) != type)
            return MEMORY_TYPE_MIXED;
    return type;
}

/* SDM "MTRR Precedences": UC takes precedence, WT over WB. Other overlaps are undefined; UC is safe for them. */
static int combine(int a, int b)
{
    if (a == b)
        return a;
    if ((a == MEMORY_TYPE_WT && b == MEMORY_TYPE_WB) || (a == MEMORY_TYPE_WB && b == MEMORY_TYPE_WT))
        return MEMORY_TYPE_WT;
    return MEMORY_TYPE_UC;
}

int mtrr_type(const struct mtrr_state *mtrr, uint64_t start, uint64_t size)
{
    const int default_type = (int)(mtrr->def_type & 0xff);
    int type = -1;

    if (!(mtrr->def_type & MTRR_DEF_TYPE_E))
        return MEMORY_TYPE_UC;
    if ((mtrr->def_type & MTRR_DEF_TYPE_FE) && start < FIXED_END)
        return fixed_block_type(mtrr, start, size);

    /* An address is in a variable range if it equals the base in all bits of the mask. A block overlaps the range if
     * that holds for the bits above its size; it is inside as a whole if the mask has no bits below its size. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < mtrr->nr_variable && i < MTRR_MAX_VARIABLE; i++) {
            const uint64_t base = mtrr->variable[i].base, mask = mtrr->variable[i].mask;
            const int range_type = (int)(base & 0xff);

            if (!(mask & MTRR_PHYSMASK_VALID) || ((start ^ base) & mask & ~(size - 1)))
                continue;
            const bool whole = !(mask & (size - 1) & ~(PAGE - 1));
            if (pass == 0 && whole)
                type = type < 0 ? range_type : combine(type, range_type);
            /* Part of the block is in it: not mixed only if that changes nothing. */
            if (pass == 1 && !whole && (type < 0 ? default_type != range_type : combine(type, range_type) != type))
                return MEMORY_TYPE_MIXED;
        }
    }
    return type < 0 ? default_type : type;
}
