/* vmx/guest_walk.c: page tables in a small memory, in each paging mode, against the manual's rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/guest_walk.h"

#define PG (1ull << 31)
#define PSE (1ull << 4)
#define PAE (1ull << 5)
#define PGE (1ull << 7)
#define LA57 (1ull << 12)
#define LMA (1ull << 10)
#define NXE (1ull << 11)

#define P 0x1ull
#define US 0x4ull
#define ACCESSED 0x20ull
#define DIRTY 0x40ull
#define PS 0x80ull
#define G 0x100ull
#define NX (1ull << 63)

/* Guest memory: what lies elsewhere cannot be read. A walk shall read entries of the paging mode's size only. */
#define PAGES 8u
static uint8_t memory[PAGES * 4096] __attribute__((aligned(4096)));
static unsigned size_expected;

static bool entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    assert_ptr_equal(context, memory);
    assert_int_equal(size, size_expected);
    assert_int_equal(gpa % size, 0);
    if (gpa > sizeof memory - size)
        return false;
    *entry = 0;
    memcpy(entry, memory + gpa, size);
    return true;
}

static void set(uint64_t table, unsigned index, uint64_t entry)
{
    memcpy(memory + table + index * size_expected, &entry, size_expected);
}

static const struct guest_paging four_levels = {PG, 0x1000, PAE | PGE, LMA | NXE},
                                 five_levels = {PG, 0x1000, PAE | PGE | LA57, LMA | NXE},
                                 pae = {PG, 0x1000, PAE | PGE, 0}, two_levels = {PG, 0x1000, PSE | PGE, 0};

/* 5.4.3.2.1.345H in tables 1000H to 5000H of four levels; the page table is empty. */
#define LINEAR (4ull << 39 | 3ull << 30 | 2ull << 21 | 70ull << 12 | 0x345)
#define TABLE 0x4000ull
#define FIRST 64u   /* the stretch's first entry in it */
#define ENTRIES 16u /* of the stretch */
#define STRETCH (LINEAR & ~0xffffull)

static void make(void)
{
    memset(memory, 0, sizeof memory);
    size_expected = 8;
    set(0x1000, 4, 0x2000 | P | US);
    set(0x2000, 3, 0x3000 | P | US);
    set(0x3000, 2, TABLE | P | US);
}

static bool walk(struct guest_stretch *stretch, const struct guest_paging *paging, uint64_t linear)
{
    return guest_walk(stretch, paging, linear, entry_read, memory);
}

struct seen {
    uint32_t nr;
    struct guest_stretch stretch;
    struct guest_stretch_pages pages;
    struct record_map_run runs[GUEST_STRETCH_ENTRIES];
};

/* The walk must succeed. */
static struct seen see(const struct guest_paging *paging, uint64_t linear)
{
    struct seen seen;

    assert_true(walk(&seen.stretch, paging, linear));
    const void *table = seen.stretch.large ? NULL : memory + seen.stretch.table;
    guest_stretch_read(&seen.pages, &seen.stretch, table);
    seen.nr = guest_stretch_runs(&seen.stretch, &seen.pages, seen.runs);
    return seen;
}

static void run_is(const struct record_map_run *run, uint64_t linear, uint64_t gpa, uint32_t pages, unsigned flags,
                   unsigned shift)
{
    assert_int_equal(run->linear, linear);
    assert_int_equal(run->gpa, gpa);
    assert_int_equal(run->pages, pages);
    assert_int_equal(run->flags, flags);
    assert_int_equal(run->page_shift, shift);
}

static void four(void **state)
{
    (void)state;
    make();
    set(TABLE, 70, 0xffffffffff000 | P | US | ACCESSED | DIRTY | 2);
    const struct seen seen = see(&four_levels, LINEAR);
    assert_int_equal(seen.stretch.linear, STRETCH);
    assert_int_equal(seen.stretch.size, 0x10000);
    assert_int_equal(seen.stretch.table, TABLE + FIRST * 8);
    assert_false(seen.stretch.large);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], LINEAR & ~0xfffull, 0xffffffffff000, 1, RECORD_MAP_USER, 12);

    /* Bits 63:48 of an address do not lead anywhere. */
    assert_int_equal(see(&four_levels, LINEAR | 0xffffull << 48).runs[0].linear,
                     (LINEAR | 0xffffull << 48) & ~0xfffull);
}

static void five(void **state)
{
    (void)state;
    make();
    set(0x5000, 511, 0x1000 | P | US);
    set(TABLE, 70, 0x7000 | P);
    const struct guest_paging paging = {five_levels.cr0, 0x5000, five_levels.cr4, five_levels.efer};
    const uint64_t linear = LINEAR | 511ull << 48 | 0xfeull << 56;
    const struct seen seen = see(&paging, linear);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], linear & ~0xfffull, 0x7000, 1, 0, 12);
    struct guest_stretch stretch;
    assert_false(walk(&stretch, &paging, linear ^ 1ull << 48));

    /* The same tables without the uppermost are those of four levels. */
    assert_int_equal(see(&four_levels, LINEAR).nr, 1);
}

/* SDM "PDPTE Registers": a CR3 of 32 bytes' alignment, four entries in which bits 1, 2 and 63 say nothing. */
static void three(void **state)
{
    (void)state;
    make();
    const struct guest_paging with_nx = {pae.cr0, 0x10e0 | 0x18 | 1ull << 32, pae.cr4, NXE};
    const uint64_t linear = 3ull << 30 | 5ull << 21 | 511ull << 12;
    assert_int_equal(guest_space(&with_nx), 0x10e0);
    set(0x10e0, 3, 0x2000 | P | NX);
    set(0x2000, 5, TABLE | P | US);
    set(TABLE, 511, 0x6000 | P | US);
    set(TABLE, 510, 0x5000 | P | US | NX);
    const struct seen seen = see(&with_nx, linear);
    assert_int_equal(seen.stretch.table, TABLE + 496 * 8);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], linear, 0x6000, 1, RECORD_MAP_USER, 12);

    /* The PDPT maps no pages, the directory maps those of 2 MBytes. */
    set(0x10e0, 3, 0x2000 | P | PS);
    assert_false(see(&with_nx, linear).stretch.large);
    set(0x2000, 5, 0x3fe00000 | P | US | PS | 1 << 12); /* bit 12 is PAT */
    const struct seen large = see(&with_nx, linear);
    assert_int_equal(large.nr, 1);
    run_is(&large.runs[0], linear & ~0x1fffffull, 0x3fe00000, 512, RECORD_MAP_USER, 21);
    set(0x10e0, 3, 0x2000);
    struct guest_stretch stretch;
    assert_false(walk(&stretch, &with_nx, linear));
}

static void two(void **state)
{
    (void)state;
    make();
    size_expected = 4;
    const uint64_t linear = 1023ull << 22 | 1023ull << 12 | 0xfff;
    const struct guest_paging with_nxe = {two_levels.cr0, two_levels.cr3 | 0x18, two_levels.cr4, NXE};
    assert_int_equal(guest_space(&with_nxe), 0x1000);
    set(0x1000, 1023, TABLE | P | US);
    set(TABLE, 1023, 0xfffff000 | P | US); /* bit 31 is an address, and nothing forbids execution */
    const struct seen seen = see(&with_nxe, linear);
    assert_int_equal(seen.stretch.linear, 0xffff0000);
    assert_int_equal(seen.stretch.table, TABLE + 1008 * 4);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], 0xfffff000, 0xfffff000, 1, RECORD_MAP_USER, 12);
}

/* SDM Table "Format of a 32-Bit Page-Directory Entry that Maps a 4-MByte Page": bits 20:13 are the address's 39:32. */
static void four_mbytes(void **state)
{
    (void)state;
    make();
    size_expected = 4;
    const uint64_t linear = 9ull << 22 | 0x123456;
    set(0x1000, 9, 0x12c00000 | 0xa5u << 13 | 1u << 12 | PS | P | US | G);
    const struct seen seen = see(&two_levels, linear);
    assert_true(seen.stretch.large);
    assert_int_equal(seen.stretch.linear, 9ull << 22);
    assert_int_equal(seen.stretch.size, 0x400000);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], 9ull << 22, 0xa512c00000, 1024, RECORD_MAP_USER | RECORD_MAP_GLOBAL, 22);

    /* Without CR4.PSE bit 7 says nothing. */
    const struct guest_paging no_pse = {two_levels.cr0, two_levels.cr3, PGE, 0};
    set(0x1000, 9, TABLE | PS | P | US);
    set(TABLE, 0x123, 0x7000 | P);
    assert_int_equal(see(&no_pse, linear).runs[0].gpa, 0x7000);
}

static void large(void **state)
{
    (void)state;
    make();
    set(0x3000, 2, 0x12345a00000 | P | US | PS | 1 << 12);
    const struct seen two_mib = see(&four_levels, LINEAR);
    assert_true(two_mib.stretch.large);
    assert_int_equal(two_mib.stretch.linear, LINEAR & ~0x1fffffull);
    assert_int_equal(two_mib.stretch.size, 0x200000);
    assert_true(guest_stretch_maps(&two_mib.stretch, NULL, LINEAR | 0x1ff000));
    assert_int_equal(two_mib.nr, 1);
    run_is(&two_mib.runs[0], LINEAR & ~0x1fffffull, 0x12345a00000, 512, RECORD_MAP_USER, 21);

    set(0x2000, 3, 0x12340000000 | P | PS | G | 1 << 12);
    const struct seen gib = see(&four_levels, LINEAR);
    assert_int_equal(gib.stretch.size, 0x40000000);
    assert_int_equal(gib.nr, 1);
    run_is(&gib.runs[0], LINEAR & ~0x3fffffffull, 0x12340000000, 0x40000, RECORD_MAP_GLOBAL, 30);

    /* The uppermost tables map nothing, in 4 levels and in 5. */
    make();
    set(0x1000, 4, 0x2000 | P | PS);
    assert_false(see(&four_levels, LINEAR).stretch.large);
    set(0x5000, 0, 0x1000 | P | PS);
    const struct guest_paging paging = {five_levels.cr0, 0x5000, five_levels.cr4, five_levels.efer};
    assert_false(see(&paging, LINEAR).stretch.large);
}

/* NX forbids from wherever it stands, but means nothing without EFER.NXE. */
static void no_execution(void **state)
{
    static const struct {
        uint64_t table;
        unsigned index;
    } places[] = {{0x1000, 4}, {0x2000, 3}, {0x3000, 2}, {TABLE, 70}};
    const struct guest_paging no_nxe = {four_levels.cr0, four_levels.cr3, four_levels.cr4, LMA};
    (void)state;

    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        struct seen seen;
        uint64_t entry;
        make();
        set(TABLE, 70, 0x7000 | P);
        set(TABLE, 71, 0x5000 | P);
        assert_true(entry_read(memory, places[i].table + places[i].index * 8, 8, &entry));
        set(places[i].table, places[i].index, entry | NX);
        assert_int_equal(see(&no_nxe, LINEAR).nr, 2);
        if (places[i].table != TABLE) {
            assert_false(walk(&seen.stretch, &four_levels, LINEAR));
            assert_true(seen.stretch.forbidden);
            set(places[i].table, places[i].index, 0); /* not present: that is another matter */
            assert_false(walk(&seen.stretch, &four_levels, LINEAR));
            assert_false(seen.stretch.forbidden);
            continue;
        }
        seen = see(&four_levels, LINEAR);
        assert_int_equal(seen.nr, 1);
        run_is(&seen.runs[0], (LINEAR & ~0xfffull) + 0x1000, 0x5000, 1, 0, 12);
        assert_true(guest_stretch_maps(&seen.stretch, memory + seen.stretch.table, LINEAR)); /* present all the same */
    }
    make();
    set(0x3000, 2, 0x200000 | P | PS | NX);
    struct guest_stretch stretch;
    assert_false(walk(&stretch, &four_levels, LINEAR));
    assert_int_equal(see(&no_nxe, LINEAR).runs[0].gpa, 0x200000);
}

/* User mode gets there only if all entries on the way let it. */
static void user(void **state)
{
    (void)state;
    for (unsigned level = 0; level <= 4; level++) {
        make();
        set(0x1000, 4, 0x2000 | P | (level == 4 ? 0 : US));
        set(0x2000, 3, 0x3000 | P | (level == 3 ? 0 : US));
        set(0x3000, 2, TABLE | P | (level == 2 ? 0 : US));
        set(TABLE, 70, 0x7000 | P | (level == 1 ? 0 : US));
        assert_int_equal(see(&four_levels, LINEAR).runs[0].flags, level == 0 ? RECORD_MAP_USER : 0);
        set(0x3000, 2, 0x200000 | P | PS | (level == 2 ? 0 : US));
        assert_int_equal(see(&four_levels, LINEAR).runs[0].flags, level <= 1 ? RECORD_MAP_USER : 0);
    }
    /* A PDPTE of PAE paging has no such bit. */
    make();
    set(0x1000, 0, 0x2000 | P);
    set(0x2000, 0, TABLE | P | US);
    set(TABLE, 0, 0x7000 | P | US);
    assert_int_equal(see(&pae, 0).runs[0].flags, RECORD_MAP_USER);
}

/* G counts in what maps a page, and where CR4.PGE is set: SDM "Global Pages". */
static void global(void **state)
{
    const struct guest_paging no_pge = {four_levels.cr0, four_levels.cr3, PAE, LMA};
    (void)state;
    make();
    set(0x3000, 2, TABLE | P | US | G);
    set(TABLE, 70, 0x7000 | P);
    assert_int_equal(see(&four_levels, LINEAR).runs[0].flags, 0);
    set(TABLE, 70, 0x7000 | P | G);
    assert_int_equal(see(&four_levels, LINEAR).runs[0].flags, RECORD_MAP_GLOBAL);
    assert_int_equal(see(&no_pge, LINEAR).runs[0].flags, 0);
    set(0x3000, 2, 0x200000 | P | PS | G);
    assert_int_equal(see(&four_levels, LINEAR).runs[0].flags, RECORD_MAP_GLOBAL);
    assert_int_equal(see(&no_pge, LINEAR).runs[0].flags, 0);
}

/* No paging, nothing present on the way, or tables where there is no memory. */
static void nothing(void **state)
{
    const struct guest_paging off = {0, four_levels.cr3, four_levels.cr4, four_levels.efer},
                              far_away = {PG, sizeof memory, four_levels.cr4, four_levels.efer};
    struct guest_stretch stretch;
    (void)state;
    make();
    assert_true(walk(&stretch, &four_levels, LINEAR));
    assert_false(guest_stretch_maps(&stretch, memory + stretch.table, LINEAR));
    assert_int_equal(see(&four_levels, LINEAR).nr, 0);
    assert_false(walk(&stretch, &off, LINEAR));
    assert_false(walk(&stretch, &far_away, LINEAR));
    static const uint64_t tables[] = {0x1000, 0x2000, 0x3000};
    static const unsigned indices[] = {4, 3, 2};
    for (unsigned i = 0; i < 3; i++) {
        make();
        set(tables[i], indices[i], (tables[i] + 0x1000) | US);
        assert_false(walk(&stretch, &four_levels, LINEAR));
        if (i == 2)
            break; /* whether the page table itself can be read is the caller's to find out */
        set(tables[i], indices[i], sizeof memory | P | US);
        assert_false(walk(&stretch, &four_levels, LINEAR));
    }
}

/* 16 entries, whichever of them is asked for; the neighbours' pages are not among them. */
static void bounds(void **state)
{
    (void)state;
    make();
    for (unsigned i = 0; i < 512; i++)
        set(TABLE, i, (0x100000 + i * 0x1000) | P);
    const uint64_t table_start = LINEAR & ~0x1fffffull;
    for (unsigned i = 0; i < 512; i++) {
        const struct seen seen = see(&four_levels, table_start + i * 0x1000 + 0xfff);
        const unsigned first = i & ~(ENTRIES - 1);
        assert_int_equal(seen.stretch.linear, table_start + first * 0x1000);
        assert_int_equal(seen.stretch.linear, guest_stretch_of(table_start + i * 0x1000));
        assert_int_equal(seen.stretch.table, TABLE + first * 8);
        assert_int_equal(guest_stretch_entries(&seen.stretch), ENTRIES);
        assert_int_equal(seen.nr, 1);
        run_is(&seen.runs[0], table_start + first * 0x1000, 0x100000 + first * 0x1000, ENTRIES, 0, 12);
    }
}

static void runs(void **state)
{
    static const uint64_t entries[] = {
        0x10000 | P,      0x11000 | P,      0x12000 | P,                        /* three pages in a row */
        0x14000 | P,      0x13000 | P,                                          /* not by rising address */
        0x14000 | P | US, 0x15000 | P | US, 0x16000 | P | US | G, 0x17000 | US, /* not present */
        0x18000 | P,      0x19000 | P | NX, 0x1a000 | P,
    };
    (void)state;
    make();
    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++)
        set(TABLE, FIRST + i, entries[i]);
    set(TABLE, FIRST + 15, 0x20000 | P);
    set(TABLE, FIRST + 16, 0x21000 | P);
    const struct seen seen = see(&four_levels, LINEAR);
    assert_int_equal(seen.nr, 8);
    run_is(&seen.runs[0], STRETCH, 0x10000, 3, 0, 12);
    run_is(&seen.runs[1], STRETCH + 0x3000, 0x14000, 1, 0, 12);
    run_is(&seen.runs[2], STRETCH + 0x4000, 0x13000, 1, 0, 12);
    run_is(&seen.runs[3], STRETCH + 0x5000, 0x14000, 2, RECORD_MAP_USER, 12);
    run_is(&seen.runs[4], STRETCH + 0x7000, 0x16000, 1, RECORD_MAP_USER | RECORD_MAP_GLOBAL, 12);
    run_is(&seen.runs[5], STRETCH + 0x9000, 0x18000, 1, 0, 12);
    run_is(&seen.runs[6], STRETCH + 0xb000, 0x1a000, 1, 0, 12);
    run_is(&seen.runs[7], STRETCH + 0xf000, 0x20000, 1, 0, 12);

    /* As many runs as there are entries, at most. */
    for (unsigned i = 0; i < ENTRIES; i++)
        set(TABLE, FIRST + i, i * 0x2000 | P);
    assert_int_equal(see(&four_levels, LINEAR).nr, ENTRIES);
}

static uint64_t sum_with(unsigned index, uint64_t entry)
{
    set(TABLE, index, entry);
    return see(&four_levels, LINEAR).pages.sum;
}

/* What leads elsewhere, or lets others execute, has another sum; what the processor notes by itself has not. */
static void sums(void **state)
{
    const uint64_t entry = 0x55aa5500f5000 | P | US;
    (void)state;
    make();
    const uint64_t empty = see(&four_levels, LINEAR).pages.sum, sum = sum_with(70, entry);
    assert_int_not_equal(sum, empty);
    for (unsigned bit = 12; bit < 52; bit++)
        assert_int_not_equal(sum_with(70, entry ^ 1ull << bit), sum);
    static const uint64_t counts[] = {P, US, G, NX};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_not_equal(sum_with(70, entry ^ counts[i]), sum);
    static const unsigned nothing_said[] = {1, 3, 4, 5, 6, 7, 9, 10, 11, 52, 58, 59, 62};
    for (unsigned i = 0; i < sizeof nothing_said / sizeof *nothing_said; i++)
        assert_int_equal(sum_with(70, entry | 1ull << nothing_said[i]), sum);
    sum_with(70, 0);
    for (unsigned i = FIRST; i < FIRST + ENTRIES; i++) {
        assert_true((sum_with(i, entry) == sum) == (i == 70));
        set(TABLE, i, 0);
    }
    assert_int_equal(see(&four_levels, LINEAR).pages.sum, empty);
    sum_with(71, entry);
    const uint64_t other_order = sum_with(70, 0x6000 | P);
    sum_with(71, 0x6000 | P);
    assert_int_not_equal(sum_with(70, entry), other_order); /* the same entries, changed about */
    set(TABLE, 71, 0);
    set(0x3000, 2, TABLE | P);
    assert_int_not_equal(see(&four_levels, LINEAR).pages.sum, sum); /* U/S above */
    set(0x3000, 2, TABLE | P | US | ACCESSED | G);
    assert_int_equal(see(&four_levels, LINEAR).pages.sum, sum);
}

/* One address, one stretch start, one page's start, and yet not as much mapped. */
static void sum_of_sizes(void **state)
{
    const uint64_t linear = 4ull << 39; /* where a page of each size begins */
    (void)state;
    make();
    set(0x2000, 0, 0x3000 | P | US);
    set(0x3000, 0, TABLE | P | US);
    set(TABLE, 0, 0x40000000 | P | US);
    const struct seen small = see(&four_levels, linear);
    set(0x3000, 0, 0x40000000 | P | US | PS);
    const struct seen two_mib = see(&four_levels, linear);
    set(0x2000, 0, 0x40000000 | P | US | PS);
    const struct seen gib = see(&four_levels, linear);
    assert_int_equal(small.runs[0].gpa, two_mib.runs[0].gpa);
    assert_int_equal(small.runs[0].gpa, gib.runs[0].gpa);
    assert_int_not_equal(small.pages.sum, two_mib.pages.sum);
    assert_int_not_equal(small.pages.sum, gib.pages.sum);
    assert_int_not_equal(two_mib.pages.sum, gib.pages.sum);
}

/* CR3 without PCID, PWT and PCD; all its bits count where addresses have as many. */
static void spaces(void **state)
{
    const struct guest_paging with_pcid = {PG, 0x8000000000000fffull | 0xabcde12345000, PAE | 1 << 17, LMA};
    (void)state;
    assert_int_equal(guest_space(&with_pcid), 0xabcde12345000);
    make();
    set(TABLE, 70, 0x7000 | P);
    const struct guest_paging paging = {PG, 0x1000 | 0x801 | 1ull << 63, four_levels.cr4 | 1 << 17, LMA};
    assert_int_equal(see(&paging, LINEAR).nr, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four),         cmocka_unit_test(five),         cmocka_unit_test(three),
        cmocka_unit_test(two),          cmocka_unit_test(four_mbytes),  cmocka_unit_test(large),
        cmocka_unit_test(no_execution), cmocka_unit_test(user),         cmocka_unit_test(global),
        cmocka_unit_test(nothing),      cmocka_unit_test(bounds),       cmocka_unit_test(runs),
        cmocka_unit_test(sums),         cmocka_unit_test(sum_of_sizes), cmocka_unit_test(spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
