#include "vmx/guest_walk.h"

#define CR0_PG (1ull << 31)
#define CR4_PSE (1ull << 4)
#define CR4_PAE (1ull << 5)
#define CR4_PGE (1ull << 7)
#define CR4_LA57 (1ull << 12)
#define EFER_LMA (1ull << 10)
#define EFER_NXE (1ull << 11)

#define ENTRY_P (1ull << 0)
#define ENTRY_US (1ull << 2)
#define ENTRY_PS (1ull << 7)
#define ENTRY_G (1ull << 8)
#define ENTRY_NX (1ull << 63)
#define ENTRY_ADDRESS GUEST_ENTRY_ADDRESS
#define ENTRY_MEANS (ENTRY_P | ENTRY_US | ENTRY_G | ENTRY_ADDRESS)

#define PAGE_SHIFT 12u
#define PAE_CR3_ADDRESS 0xffffffe0ull

/* How many levels of tables there are, and what their entries are like. */
struct shape {
    unsigned levels, index_bits, entry_bytes;
    bool pae_pdpt; /* the uppermost table has four entries, without access rights */
};

static struct shape shape_of(const struct guest_paging *paging)
{
    if (paging->efer & EFER_LMA)
        return (struct shape){paging->cr4 & CR4_LA57 ? 5 : 4, 9, 8, false};
    if (paging->cr4 & CR4_PAE)
        return (struct shape){3, 9, 8, true};
    return (struct shape){2, 10, 4, false};
}

uint64_t guest_space(const struct guest_paging *paging)
{
    return paging->cr3 & (shape_of(paging).pae_pdpt ? PAE_CR3_ADDRESS : ENTRY_ADDRESS);
}

/* "Page-Size Extensions": CR4.PSE decides in 32-bit paging alone; PML4 and PML5 entries never map a page. */
static bool is_large(const struct shape *shape, const struct guest_paging *paging, unsigned level, uint64_t entry)
{
    if (!(entry & ENTRY_PS) || level > 3 || (shape->pae_pdpt && level == 3))
        return false;
    return shape->entry_bytes == 8 || (paging->cr4 & CR4_PSE);
}

/* A 4-MByte page's address has its bits 39:32 in the entry's bits 20:13. */
static uint64_t large_entry(const struct shape *shape, unsigned shift, uint64_t entry)
{
    uint64_t address = entry & ENTRY_ADDRESS & ~((1ull << shift) - 1);

    if (shape->entry_bytes == 4)
        address |= (entry >> 13 & 0xff) << 32;
    return address | (entry & (ENTRY_P | ENTRY_US | ENTRY_G));
}

bool guest_walk(struct guest_stretch *stretch, const struct guest_paging *paging, uint64_t linear,
                guest_walk_read *read, void *context)
{
    const struct shape shape = shape_of(paging);
    uint64_t table = guest_space(paging), entry;
    unsigned shift = PAGE_SHIFT + shape.index_bits * (shape.levels - 1);

    *stretch = (struct guest_stretch){.user = true,
                                      .wide = shape.entry_bytes == 8,
                                      .nx_counts = shape.entry_bytes == 8 && (paging->efer & EFER_NXE),
                                      .global_counts = paging->cr4 & CR4_PGE};
    if (!(paging->cr0 & CR0_PG))
        return false;
    for (unsigned level = shape.levels; level > 1; level--, shift -= shape.index_bits) {
        const bool rights = !(shape.pae_pdpt && level == 3);
        const unsigned bits = rights ? shape.index_bits : 2;
        const uint64_t index = linear >> shift & ((1u << bits) - 1);

        if (!read(context, table + index * shape.entry_bytes, shape.entry_bytes, &entry) || !(entry & ENTRY_P))
            return false;
        stretch->forbidden = rights && stretch->nx_counts && (entry & ENTRY_NX);
        if (stretch->forbidden)
            return false;
        stretch->user = stretch->user && (!rights || (entry & ENTRY_US));
        stretch->size = 1ull << shift;
        stretch->large_shift = (uint8_t)shift;
        stretch->large = is_large(&shape, paging, level, entry);
        if (stretch->large)
            break;
        table = entry & ENTRY_ADDRESS;
    }
    if (stretch->large) {
        stretch->table = large_entry(&shape, shift, entry);
    } else {
        const uint64_t first = linear >> PAGE_SHIFT & ((1u << shape.index_bits) - GUEST_STRETCH_ENTRIES);

        stretch->table = table + first * shape.entry_bytes;
        stretch->size = (uint64_t)GUEST_STRETCH_ENTRIES << PAGE_SHIFT;
    }
    stretch->linear = linear & ~(stretch->size - 1);
    return true;
}

bool guest_stretch_maps(const struct guest_stretch *stretch, const void *table, uint64_t linear)
{
    const uint64_t i = (linear - stretch->linear) >> PAGE_SHIFT;

    return stretch->large || (((const uint8_t *)table)[i * (stretch->wide ? 8 : 4)] & ENTRY_P);
}

uint64_t guest_stretch_gpa(const struct guest_stretch *stretch, const void *table, uint64_t linear)
{
    const uint64_t i = (linear - stretch->linear) >> PAGE_SHIFT, in_page = linear & (RECORD_PAGE_SIZE - 1);

    if (stretch->large)
        return (stretch->table & ENTRY_ADDRESS) + (linear & (stretch->size - 1));
    if (!guest_stretch_maps(stretch, table, linear))
        return GUEST_STRETCH_NOWHERE;
    const uint64_t entry =
        stretch->wide ? ((const volatile uint64_t *)table)[i] : ((const volatile uint32_t *)table)[i];
    return (entry & ENTRY_ADDRESS) + in_page;
}

bool guest_stretch_user(const struct guest_stretch *stretch, const void *table, uint64_t linear)
{
    const uint64_t i = (linear - stretch->linear) >> PAGE_SHIFT;

    return stretch->user && (stretch->large || (((const uint8_t *)table)[i * (stretch->wide ? 8 : 4)] & ENTRY_US));
}

static uint16_t flags_of(uint64_t entry)
{
    return (uint16_t)((entry & ENTRY_G ? RECORD_MAP_GLOBAL : 0) | (entry & ENTRY_US ? RECORD_MAP_USER : 0));
}

bool guest_stretch_next(struct guest_stretch *stretch)
{
    stretch->linear += stretch->size;
    stretch->table += (uint64_t)GUEST_STRETCH_ENTRIES * (stretch->wide ? 8 : 4);
    return stretch->table % RECORD_PAGE_SIZE != 0;
}

/* Entries have 8 bytes here. Those that lead nowhere that can be executed are most of them. */
static inline void take_entry(struct guest_stretch_pages *pages, uint64_t entry, uint32_t i, uint64_t rights,
                              uint64_t means)
{
    pages->entries[i] = 0;
    if ((entry & rights) != ENTRY_P)
        return;
    entry &= means;
    pages->entries[i] = entry;
    pages->executable |= 1u << i;
    pages->sum = (pages->sum ^ entry ^ (uint64_t)i << 56) * HASH_FACTOR;
}

void guest_stretch_read(struct guest_stretch_pages *pages, const struct guest_stretch *stretch, const void *table)
{
    const uint64_t rights = ENTRY_P | (stretch->nx_counts ? ENTRY_NX : 0);
    const uint64_t means = ENTRY_MEANS & ~(stretch->global_counts ? 0 : ENTRY_G) & ~(stretch->user ? 0 : ENTRY_US);

    pages->sum = (stretch->large ? stretch->large_shift : PAGE_SHIFT) << 1 | stretch->user;
    pages->executable = 0;
    if (stretch->large)
        take_entry(pages, stretch->table, 0, rights, means);
    else if (stretch->wide)
        for (uint32_t i = 0; i < GUEST_STRETCH_ENTRIES; i++)
            take_entry(pages, ((const volatile uint64_t *)table)[i], i, rights, means);
    else
        for (uint32_t i = 0; i < GUEST_STRETCH_ENTRIES; i++)
            take_entry(pages, ((const volatile uint32_t *)table)[i], i, rights, means);
    pages->sum ^= pages->sum >> 32;
}

uint32_t guest_stretch_runs(const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                            struct record_map_run *runs)
{
    const unsigned shift = stretch->large ? stretch->large_shift : PAGE_SHIFT;
    const uint64_t bytes = 1ull << shift;
    uint64_t next = 0; /* what the entry would be that goes on where the last run ends; never 0 behind one */
    uint32_t nr = 0;

    for (uint32_t i = 0; pages->executable >> i != 0; i++) {
        const uint64_t entry = pages->entries[i];

        if (entry != 0 && entry == next)
            runs[nr - 1].pages += (uint32_t)(bytes / RECORD_PAGE_SIZE);
        else if (entry != 0)
            runs[nr++] =
                (struct record_map_run){stretch->linear + ((uint64_t)i << shift), entry & ENTRY_ADDRESS,
                                        (uint32_t)(bytes / RECORD_PAGE_SIZE), flags_of(entry), (uint16_t)shift};
        next = entry != 0 ? entry + bytes : 0;
    }
    return nr;
}
