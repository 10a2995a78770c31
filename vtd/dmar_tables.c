/* Kind: core, init */
#include "vtd/dmar_tables.h"

#include <stddef.h>

#include "vtd/dmar_registers.h"

#define PAGE_BYTES 4096u
#define ENTRIES 512u
#define GIB (1ull << 30)
#define REACH_BITS_MAX 46u
#define NR_BUSES 256u
#define NR_FUNCTIONS 256u /* of a bus */

/* Second-stage entries: 9.8. The upper bits hold the address of a table or a page. */
#define ENTRY_READ (1ull << 0)
#define ENTRY_WRITE (1ull << 1)
#define ENTRY_PAGE (1ull << 7) /* above the lowest level: a page, not a table */
#define ENTRY_ALL (ENTRY_READ | ENTRY_WRITE)
#define ENTRY_ADDRESS 0x000ffffffffff000ull

/* Root and context entries are two quadwords each: 9.1, 9.3. Translation type 0 in a context entry: use
 * second-stage tables for untranslated requests. */
#define PRESENT (1ull << 0)
#define CONTEXT_WIDTH(levels) ((uint64_t)(levels)-2)
#define CONTEXT_DOMAIN(number) ((uint64_t)(number) << 8)

/* Domain 0 is reserved on units with caching mode (CAP.CM). */
enum domain { DOMAIN_MACHINE = 1, DOMAIN_CARD = 2 };

/* Bytes that one entry of a table at this level maps; with level + 1, the bytes that a whole table maps. */
static uint64_t entry_bytes(unsigned level)
{
    return (uint64_t)PAGE_BYTES << 9 * (level - 1);
}

static unsigned smaller_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

const char *dmar_shape_of(struct dmar_shape *shape, const uint64_t *capabilities, unsigned nr)
{
    uint64_t all = ~0ull;

    shape->width = 64;
    for (unsigned i = 0; i < nr; i++) {
        all &= capabilities[i];
        shape->width = smaller_of(shape->width, DMAR_CAP_WIDTH(capabilities[i]));
    }
    shape->largest = !(all & DMAR_CAP_2M) ? 1 : all & DMAR_CAP_1G ? 3 : 2;
    shape->levels = DMAR_CAP_LEVELS(all, 4) ? 4 : DMAR_CAP_LEVELS(all, 3) ? 3 : 5;
    return DMAR_CAP_LEVELS(all, shape->levels) ? NULL : "its units support no common table depth";
}

uint64_t dmar_reach(const struct dmar_shape *shape, uint64_t top, unsigned address_bits)
{
    const uint64_t all = 1ull << smaller_of(address_bits, REACH_BITS_MAX);
    const unsigned bits = smaller_of(shape->width, 12 + 9 * shape->levels);
    const uint64_t most = 1ull << smaller_of(bits, 52);
    uint64_t reach = top > 4 * GIB ? (top + GIB - 1) & ~(GIB - 1) : 4 * GIB;

    if (shape->largest == 3 && reach < all)
        reach = all;
    return top > most ? 0 : reach < most ? reach : most;
}

/* Pages for the tables of a domain of this size, in one range or two: complete tables down to the level of the largest
 * pages, and at each lower level one table at either end of a range. */
static uint64_t domain_pages(const struct dmar_shape *shape, uint64_t bytes)
{
    uint64_t pages = 1 + 2 * (shape->largest - 1);

    for (unsigned level = shape->largest; level < shape->levels; level++)
        pages += bytes / entry_bytes(level + 1) + 2;
    return pages;
}

uint32_t dmar_table_pages(const struct dmar_shape *shape, uint64_t reach, uint64_t ours_bytes)
{
    const unsigned roots = 2, contexts = 1 + DMAR_MAX_REQUESTERS;

    return (uint32_t)(roots + contexts + domain_pages(shape, reach) + domain_pages(shape, ours_bytes));
}

/* Tables under construction in the arena. */
struct building {
    struct arena *arena;
    const struct dmar_shape *shape;
    bool full; /* the arena had no page left */
};

static uint64_t *table_at(const struct building *b, uint64_t pa)
{
    return (uint64_t *)(void *)(b->arena->va + (pa - b->arena->pa));
}

/* The address of a zeroed page; 0: the arena is full. */
static uint64_t new_page(struct building *b)
{
    const uint8_t *page = arena_take(b->arena, PAGE_BYTES, PAGE_BYTES);

    b->full = b->full || !page;
    return page ? b->arena->pa + (uint64_t)(page - b->arena->va) : 0;
}

/* Identity-map range in the table at this level, whose first entry maps base. */
static void map(struct building *b, uint64_t table_pa, unsigned level, uint64_t base, struct range range)
{
    const uint64_t bytes = entry_bytes(level);
    uint64_t *table = table_at(b, table_pa);

    for (unsigned i = 0; i < ENTRIES && !b->full; i++) {
        const struct range entry = {base + i * bytes, base + (i + 1) * bytes};
        if (!range_overlaps(entry, range))
            continue;
        if (level <= b->shape->largest && range.start <= entry.start && entry.end <= range.end) {
            table[i] = entry.start | ENTRY_ALL | (level > 1 ? ENTRY_PAGE : 0);
            continue;
        }
        if (table[i] == 0)
            table[i] = new_page(b) | ENTRY_ALL;
        if (!b->full)
            map(b, table[i] & ENTRY_ADDRESS, level - 1, entry.start, range);
    }
}

static void set_context(struct building *b, uint64_t context_pa, unsigned function, enum domain domain,
                        uint64_t table_pa)
{
    uint64_t *entry = table_at(b, context_pa) + 2 * function;

    entry[0] = table_pa | PRESENT;
    entry[1] = CONTEXT_WIDTH(b->shape->levels) | CONTEXT_DOMAIN(domain);
}

static uint64_t new_contexts(struct building *b, uint64_t table_pa)
{
    const uint64_t contexts = new_page(b);

    for (unsigned function = 0; function < NR_FUNCTIONS && !b->full; function++)
        set_context(b, contexts, function, DOMAIN_MACHINE, table_pa);
    return contexts;
}

/* A root table in which all buses share one context table. */
static uint64_t new_root(struct building *b, uint64_t contexts_pa)
{
    const uint64_t root = new_page(b);

    for (unsigned bus = 0; bus < NR_BUSES && !b->full; bus++)
        table_at(b, root)[2 * bus] = contexts_pa | PRESENT;
    return root;
}

/* Give requester the card's domain. Its bus gets a context table of its own. */
static void admit_card(struct building *b, uint64_t root_pa, uint16_t requester, uint64_t contexts_pa,
                       uint64_t machine_pa, uint64_t card_pa)
{
    uint64_t *entry = table_at(b, root_pa) + 2 * (requester >> 8);

    if (*entry == (contexts_pa | PRESENT))
        *entry = new_contexts(b, machine_pa) | PRESENT;
    if (!b->full)
        set_context(b, *entry & ENTRY_ADDRESS, requester & 0xff, DOMAIN_CARD, card_pa);
}

bool dmar_tables_build(struct dmar_tables *tables, struct arena *arena, const struct dmar_layout *layout)
{
    struct building b = {arena, &layout->shape, false};
    const unsigned levels = layout->shape.levels;
    const uint64_t machine = new_page(&b), card = new_page(&b);

    if (b.full)
        return false;
    map(&b, machine, levels, 0, (struct range){0, layout->ours.start});
    map(&b, machine, levels, 0, (struct range){layout->ours.end, layout->reach});
    map(&b, card, levels, 0, layout->ours);
    const uint64_t contexts = new_contexts(&b, machine);
    tables->root_pa = new_root(&b, contexts);
    tables->others_pa = new_root(&b, contexts);
    for (unsigned i = 0; i < layout->nr_requesters && !b.full; i++)
        admit_card(&b, tables->root_pa, layout->requesters[i], contexts, machine, card);
    return !b.full;
}
