/* Kind: core, hot */
/* What the entries of one stretch map: vmx/guest/walk.h. */
#include "vmx/guest/entry_bits.h"

/* The stretch's entry for an address in it. Outside of IA-32e mode only the lower half of the address counts, and a
 * caller's may have more bits. */
static inline uint64_t entry_of(const struct guest_stretch *stretch, uint64_t linear)
{
    return ((linear - stretch->linear) >> PAGE_SHIFT) & (GUEST_STRETCH_ENTRIES - 1);
}

bool guest_stretch_maps(const struct guest_stretch *stretch, const void *table, uint64_t linear)
{
    const uint64_t i = entry_of(stretch, linear);

    return stretch->large || (((const uint8_t *)table)[i * (stretch->wide ? 8 : 4)] & ENTRY_P);
}

uint64_t guest_stretch_gpa(const struct guest_stretch *stretch, const void *table, uint64_t linear)
{
    const uint64_t i = entry_of(stretch, linear), in_page = linear & (RECORD_PAGE_SIZE - 1);

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
    const uint64_t i = entry_of(stretch, linear);

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

/* Which bits of a stretch's entries count, and what the sum depends on. */
struct entry_rule {
    uint64_t rights, mask;
};

/* entry: extended to 8 bytes. */
static inline void entry_add(struct guest_stretch_pages *pages, uint64_t entry, uint32_t i, struct entry_rule rule)
{
    if ((entry & rule.rights) != ENTRY_P)
        return;
    entry &= rule.mask;
    pages->entries[i] = entry;
    pages->executable |= 1u << i;
    pages->sum = (pages->sum ^ entry) * HASH_FACTOR;
}

/* Unrolled, with the sum in a register: much of root's time after the boot is spent here. */
static __attribute__((noinline)) void wide_entries_add(struct guest_stretch_pages *pages, const void *table,
                                                       struct entry_rule rule)
{
    const volatile uint64_t *entries = table;
    uint64_t sum = pages->sum;
    uint32_t executable = 0;

#pragma GCC unroll 16
    for (uint32_t i = 0; i < GUEST_STRETCH_ENTRIES; i++) {
        const uint64_t entry = entries[i];

        if ((entry & rule.rights) != ENTRY_P)
            continue;
        pages->entries[i] = entry & rule.mask;
        executable |= 1u << i;
        sum = (sum ^ (entry & rule.mask)) * HASH_FACTOR;
    }
    pages->sum = sum;
    pages->executable = executable;
}

void guest_stretch_read(struct guest_stretch_pages *pages, const struct guest_stretch *stretch, const void *table)
{
    const struct entry_rule rule = {ENTRY_P | (stretch->nx_counts ? ENTRY_NX : 0),
                                    ENTRY_COUNTS & ~(stretch->global_counts ? 0 : ENTRY_G) &
                                        ~(stretch->user ? 0 : ENTRY_US)};

    pages->sum = (stretch->large ? stretch->large_shift : PAGE_SHIFT) << 1 | stretch->user;
    pages->executable = 0;
    if (stretch->large)
        entry_add(pages, stretch->table, 0, rule);
    else if (stretch->wide)
        wide_entries_add(pages, table, rule);
    else
        for (uint32_t i = 0; i < GUEST_STRETCH_ENTRIES; i++)
            entry_add(pages, ((const volatile uint32_t *)table)[i], i, rule);
    pages->sum = (pages->sum ^ pages->sum >> 32 ^ pages->executable) * HASH_FACTOR;
}

uint32_t guest_stretch_runs(const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                            struct record_map_run *runs)
{
    const unsigned shift = stretch->large ? stretch->large_shift : PAGE_SHIFT;
    const uint64_t bytes = 1ull << shift;
    const uint32_t pages_each = (uint32_t)(bytes / RECORD_PAGE_SIZE);
    uint64_t next = 0; /* the entry that would continue the last run; never 0 after a run */
    uint32_t expected = 0, nr = 0;

    for (uint32_t left = pages->executable; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const uint64_t entry = pages->entries[i];

        if (i == expected && entry == next)
            runs[nr - 1].pages += pages_each;
        else
            runs[nr++] = (struct record_map_run){stretch->linear + ((uint64_t)i << shift), entry & ENTRY_ADDRESS,
                                                 pages_each, flags_of(entry), (uint16_t)shift};
        next = entry + bytes;
        expected = i + 1;
    }
    return nr;
}
