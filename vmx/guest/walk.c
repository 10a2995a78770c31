/* Kind: core, hot */
#include "vmx/guest/walk.h"

#include "base/control.h"
#include "vmx/guest/entry_bits.h"

#define PAE_CR3_ADDRESS 0xffffffe0ull

/* The number of levels, and the format of entries. */
struct shape {
    unsigned levels, index_bits, entry_bytes;
    bool pae_pdpt; /* the top-level table has four entries, without access rights */
};

static inline struct shape shape_of(const struct guest_paging *paging)
{
    if (paging->efer & EFER_LMA)
        return (struct shape){paging->cr4 & CR4_LA57 ? 5 : 4, 9, 8, false};
    if (paging->cr4 & CR4_PAE)
        return (struct shape){3, 9, 8, true};
    return (struct shape){2, 10, 4, false};
}

static inline uint64_t top_table(const struct guest_paging *paging, const struct shape *shape)
{
    return paging->cr3 & (shape->pae_pdpt ? PAE_CR3_ADDRESS : ENTRY_ADDRESS);
}

uint64_t guest_space(const struct guest_paging *paging)
{
    const struct shape shape = shape_of(paging);

    return top_table(paging, &shape);
}

/* Bits of a key. */
enum key_mode { KEY_OFF, KEY_32, KEY_32_PSE, KEY_PAE, KEY_4_LEVEL, KEY_5_LEVEL, KEY_MODE_MASK = 7 };
#define KEY_NXE 0x8u
#define KEY_PGE 0x10u

static enum key_mode key_mode(const struct guest_paging *paging)
{
    if (!(paging->cr0 & CR0_PG))
        return KEY_OFF;
    if (paging->efer & EFER_LMA)
        return paging->cr4 & CR4_LA57 ? KEY_5_LEVEL : KEY_4_LEVEL;
    if (paging->cr4 & CR4_PAE)
        return KEY_PAE;
    return paging->cr4 & CR4_PSE ? KEY_32_PSE : KEY_32;
}

uint64_t guest_space_key(const struct guest_paging *paging)
{
    return guest_space(paging) | key_mode(paging) | (paging->efer & EFER_NXE ? KEY_NXE : 0) |
           (paging->cr4 & CR4_PGE ? KEY_PGE : 0);
}

struct guest_paging guest_key_paging(uint64_t key)
{
    static const uint16_t cr4[] = {
        [KEY_32_PSE] = CR4_PSE, [KEY_PAE] = CR4_PAE, [KEY_4_LEVEL] = CR4_PAE, [KEY_5_LEVEL] = CR4_PAE | CR4_LA57};
    const enum key_mode mode = (enum key_mode)(key & KEY_MODE_MASK);

    return (struct guest_paging){.cr0 = mode == KEY_OFF ? 0 : CR0_PG,
                                 .cr3 = guest_key_space(key),
                                 .cr4 = cr4[mode] | (key & KEY_PGE ? CR4_PGE : 0),
                                 .efer = (mode >= KEY_4_LEVEL ? EFER_LMA : 0) | (key & KEY_NXE ? EFER_NXE : 0)};
}

/* CR4.PSE matters only in 32-bit paging; PML4 and PML5 entries never map a page. */
static bool is_large(const struct shape *shape, const struct guest_paging *paging, unsigned level, uint64_t entry)
{
    if (!(entry & ENTRY_PS) || level > 3 || (shape->pae_pdpt && level == 3))
        return false;
    return shape->entry_bytes == 8 || (paging->cr4 & CR4_PSE);
}

/* A 4-MByte page has bits 39:32 of its address in the entry's bits 20:13. */
static uint64_t large_entry(const struct shape *shape, unsigned shift, uint64_t entry)
{
    uint64_t address = entry & ENTRY_ADDRESS & ~((1ull << shift) - 1);

    if (shape->entry_bytes == 4)
        address |= (entry >> 13 & 0xff) << 32;
    return address | (entry & (ENTRY_P | ENTRY_US | ENTRY_G));
}

static struct guest_stretch stretch_of_paging(const struct shape *shape, const struct guest_paging *paging)
{
    return (struct guest_stretch){.user = true,
                                  .wide = shape->entry_bytes == 8,
                                  .nx_counts = shape->entry_bytes == 8 && (paging->efer & EFER_NXE),
                                  .global_counts = paging->cr4 & CR4_PGE};
}

bool guest_walk(struct guest_stretch *stretch, const struct guest_paging *paging, uint64_t linear,
                guest_walk_read *read, void *context)
{
    const struct shape shape = shape_of(paging);
    const uint64_t index_mask = (1u << shape.index_bits) - 1;
    uint64_t table = top_table(paging, &shape), entry;
    unsigned shift = PAGE_SHIFT + shape.index_bits * (shape.levels - 1), level = shape.levels;

    *stretch = stretch_of_paging(&shape, paging);
    if (!(paging->cr0 & CR0_PG))
        return false;
    const uint64_t nx = stretch->nx_counts ? ENTRY_NX : 0;
    if (shape.levels < 4)
        linear = (uint32_t)linear;
    for (; level > 1; level--, shift -= shape.index_bits) {
        const bool rights = !(shape.pae_pdpt && level == 3);

        stretch->table = table + (linear >> shift & index_mask) * shape.entry_bytes;
        if (!read(context, stretch->table, shape.entry_bytes, &entry) || !(entry & ENTRY_P))
            return false;
        if (rights && (entry & nx)) {
            stretch->forbidden = true;
            return false;
        }
        stretch->size = 1ull << shift;
        if (rights && !(entry & ENTRY_US))
            stretch->user = false;
        if (is_large(&shape, paging, level, entry))
            break;
        table = entry & ENTRY_ADDRESS;
    }
    stretch->large = level > 1;
    if (stretch->large) {
        stretch->large_shift = (uint8_t)shift;
        stretch->table = large_entry(&shape, shift, entry);
    } else {
        const uint64_t first = linear >> PAGE_SHIFT & ((1u << shape.index_bits) - GUEST_STRETCH_ENTRIES);

        stretch->table = table + first * shape.entry_bytes;
        stretch->size = (uint64_t)GUEST_STRETCH_ENTRIES << PAGE_SHIFT;
    }
    stretch->linear = linear & ~(stretch->size - 1);
    return true;
}

/* --- all tables -----------------------------------------------------------------------------------------------------
 */

static inline uint64_t entry_at(const void *table, bool wide, uint32_t i)
{
    return wide ? ((const volatile uint64_t *)table)[i] : ((const volatile uint32_t *)table)[i];
}

/* Is any of 16 entries present? Most are not. Reads quadwords, whatever the size of entries. */
static __attribute__((noinline)) bool any_entry(const void *table, unsigned entry_bytes, uint32_t first)
{
    const volatile uint64_t *words = (const volatile uint64_t *)table + first * entry_bytes / sizeof *words;
    const volatile uint64_t *end = words + GUEST_STRETCH_ENTRIES * entry_bytes / sizeof *words;
    uint64_t any = 0;

    while (words < end) {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++)
            any |= words[i];
        words += 8;
    }
    return any & (entry_bytes == 8 ? ENTRY_P : ENTRY_P | ENTRY_P << 32);
}

/* Is any of 16 entries present and executable? Most others are data: negative numbers, since NX is the highest bit. */
static __attribute__((noinline)) bool any_without_nx(const void *table, uint32_t first)
{
    const volatile int64_t *entries = (const volatile int64_t *)table + first;

#pragma GCC unroll 8
    for (uint32_t i = 0; i < GUEST_STRETCH_ENTRIES; i++) {
        const int64_t entry = entries[i];

        if (entry > 0 && (entry & (int64_t)ENTRY_P))
            return true;
    }
    return false;
}

/* A walk of all tables. */
struct table_walk {
    const struct guest_tables *tables;
    const struct guest_paging *paging;
    struct shape shape;
    struct guest_stretch stretch; /* what all stretches have in common */
    uint64_t from;                /* skip what is below this linear address */
};

static __attribute__((noinline)) void page_table_each(const struct table_walk *walk, uint64_t table,
                                                      const void *entries, uint64_t linear)
{
    struct guest_stretch stretch = walk->stretch;

    stretch.size = (uint64_t)GUEST_STRETCH_ENTRIES << PAGE_SHIFT;
    for (uint32_t i = 0; i < 1u << walk->shape.index_bits; i += GUEST_STRETCH_ENTRIES) {
        if (!any_entry(entries, walk->shape.entry_bytes, i) || (stretch.nx_counts && !any_without_nx(entries, i)))
            continue;
        stretch.linear = linear + ((uint64_t)i << PAGE_SHIFT);
        stretch.table = table + i * walk->shape.entry_bytes;
        walk->tables->found(walk->tables->context, &stretch);
    }
}

static __attribute__((cold, noinline)) void large_page_found(const struct table_walk *walk, uint64_t entry,
                                                             uint64_t linear, unsigned shift)
{
    struct guest_stretch stretch = walk->stretch;

    stretch.large = true;
    stretch.large_shift = (uint8_t)shift;
    stretch.size = 1ull << shift;
    stretch.linear = linear;
    stretch.table = large_entry(&walk->shape, shift, entry);
    walk->tables->found(walk->tables->context, &stretch);
}

/* Returns the linear address at which to continue; 0: the table is done. */
static __attribute__((cold, noinline)) uint64_t table_each(const struct table_walk *walk, uint64_t table,
                                                           unsigned level, uint64_t linear)
{
    const struct shape *shape = &walk->shape;
    const unsigned shift = PAGE_SHIFT + shape->index_bits * (level - 1);
    const bool rights = !(shape->pae_pdpt && level == 3), half = shape->levels > 3 && level == shape->levels;
    const void *entries = walk->tables->read(walk->tables->context, table);
    const uint64_t wanted = ENTRY_P | (rights ? ENTRY_US : 0);
    const uint64_t counts = wanted | (rights && walk->stretch.nx_counts ? ENTRY_NX : 0);

    if (walk->tables->stop(walk->tables->context))
        return linear > walk->from ? linear : walk->from;
    if (!entries)
        return 0;
    if (level == 1) {
        page_table_each(walk, table, entries, linear);
        return 0;
    }
    for (uint32_t i = walk->from > linear ? (uint32_t)((walk->from - linear) >> shift) : 0;
         i < (rights ? (1u << shape->index_bits) >> half : 4); i++) {
        if (rights && i % GUEST_STRETCH_ENTRIES == 0 && !any_entry(entries, shape->entry_bytes, i)) {
            i += GUEST_STRETCH_ENTRIES - 1;
            continue;
        }
        const uint64_t entry = entry_at(entries, walk->stretch.wide, i), at = linear + ((uint64_t)i << shift);
        if ((entry & counts) != wanted)
            continue;
        if (is_large(shape, walk->paging, level, entry)) {
            if (walk->tables->stop(walk->tables->context))
                return at;
            large_page_found(walk, entry, at, shift);
        } else {
            const uint64_t next = table_each(walk, entry & ENTRY_ADDRESS, level - 1, at);

            if (next)
                return next;
        }
    }
    return 0;
}

uint64_t guest_tables_each(const struct guest_tables *tables, const struct guest_paging *paging, uint64_t from)
{
    const struct shape shape = shape_of(paging);
    const struct table_walk walk = {tables, paging, shape, stretch_of_paging(&shape, paging), from};

    return paging->cr0 & CR0_PG ? table_each(&walk, guest_space(paging), shape.levels, 0) : 0;
}
