/* vmx/guest/walk.c: the way through the tables, in each paging mode, against the manual's rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vmx/guest/guest_tables.h"

static void four(void **state)
{
    (void)state;
    tables_make();
    table_set(TABLE, 70, 0xffffffffff000 | P | US | ACCESSED | DIRTY | 2);
    const struct seen seen = tables_see(&four_levels, LINEAR);
    assert_int_equal(seen.stretch.linear, STRETCH);
    assert_int_equal(seen.stretch.size, 0x10000);
    assert_int_equal(seen.stretch.table, TABLE + FIRST * 8);
    assert_false(seen.stretch.large);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], LINEAR & ~0xfffull, 0xffffffffff000, 1, RECORD_MAP_USER, 12);

    /* Bits 63:48 of an address do not lead anywhere. */
    assert_int_equal(tables_see(&four_levels, LINEAR | 0xffffull << 48).runs[0].linear,
                     (LINEAR | 0xffffull << 48) & ~0xfffull);
}

static uint64_t leads_to(const struct guest_paging *paging, uint64_t linear)
{
    struct guest_stretch stretch;
    assert_true(tables_walk(&stretch, paging, linear));
    return guest_stretch_gpa(&stretch, stretch.large ? NULL : guest_memory + stretch.table, linear);
}

static void an_address_leads_somewhere(void **state)
{
    (void)state;
    tables_make();
    assert_true(leads_to(&four_levels, LINEAR) == GUEST_STRETCH_NOWHERE);
    table_set(TABLE, 70, 0x8000007000 | P | NX | G); /* data, too */
    assert_int_equal(leads_to(&four_levels, LINEAR), 0x8000007345);
    assert_true(leads_to(&four_levels, LINEAR + 0x1000) == GUEST_STRETCH_NOWHERE);
    table_set(0x3000, 2, 0x40000000 | P | PS | 1 << 12); /* PAT */
    assert_int_equal(leads_to(&four_levels, LINEAR), 0x40046345);
}

static void five(void **state)
{
    (void)state;
    tables_make();
    table_set(0x5000, 511, 0x1000 | P | US);
    table_set(TABLE, 70, 0x7000 | P);
    const struct guest_paging paging = {five_levels.cr0, 0x5000, five_levels.cr4, five_levels.efer};
    const uint64_t linear = LINEAR | 511ull << 48 | 0xfeull << 56;
    const struct seen seen = tables_see(&paging, linear);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], linear & ~0xfffull, 0x7000, 1, 0, 12);
    struct guest_stretch stretch;
    assert_false(tables_walk(&stretch, &paging, linear ^ 1ull << 48));

    /* The same tables without the uppermost are those of four levels. */
    assert_int_equal(tables_see(&four_levels, LINEAR).nr, 1);
}

/* SDM "PDPTE Registers": a CR3 of 32 bytes' alignment, four entries in which bits 1, 2 and 63 say nothing. */
static void three(void **state)
{
    (void)state;
    tables_make();
    const struct guest_paging with_nx = {pae.cr0, 0x10e0 | 0x18 | 1ull << 32, pae.cr4, NXE};
    const uint64_t linear = 3ull << 30 | 5ull << 21 | 511ull << 12;
    assert_int_equal(guest_space(&with_nx), 0x10e0);
    table_set(0x10e0, 3, 0x2000 | P | NX);
    table_set(0x2000, 5, TABLE | P | US);
    table_set(TABLE, 511, 0x6000 | P | US);
    table_set(TABLE, 510, 0x5000 | P | US | NX);
    const struct seen seen = tables_see(&with_nx, linear);
    assert_int_equal(seen.stretch.table, TABLE + 496 * 8);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], linear, 0x6000, 1, RECORD_MAP_USER, 12);

    /* The PDPT maps no pages, the directory maps those of 2 MBytes. */
    table_set(0x10e0, 3, 0x2000 | P | PS);
    assert_false(tables_see(&with_nx, linear).stretch.large);
    table_set(0x2000, 5, 0x3fe00000 | P | US | PS | 1 << 12); /* bit 12 is PAT */
    const struct seen large = tables_see(&with_nx, linear);
    assert_int_equal(large.nr, 1);
    run_is(&large.runs[0], linear & ~0x1fffffull, 0x3fe00000, 512, RECORD_MAP_USER, 21);
    table_set(0x10e0, 3, 0x2000);
    struct guest_stretch stretch;
    assert_false(tables_walk(&stretch, &with_nx, linear));
}

static void two(void **state)
{
    (void)state;
    tables_make();
    entry_size_expected = 4;
    const uint64_t linear = 1023ull << 22 | 1023ull << 12 | 0xfff;
    const struct guest_paging with_nxe = {two_levels.cr0, two_levels.cr3 | 0x18, two_levels.cr4, NXE};
    assert_int_equal(guest_space(&with_nxe), 0x1000);
    table_set(0x1000, 1023, TABLE | P | US);
    table_set(TABLE, 1023, 0xfffff000 | P | US); /* bit 31 is an address, and nothing forbids execution */
    const struct seen seen = tables_see(&with_nxe, linear);
    assert_int_equal(seen.stretch.linear, 0xffff0000);
    assert_int_equal(seen.stretch.table, TABLE + 1008 * 4);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], 0xfffff000, 0xfffff000, 1, RECORD_MAP_USER, 12);
}

/* SDM Table "Format of a 32-Bit Page-Directory Entry that Maps a 4-MByte Page": bits 20:13 are the address's 39:32. */
static void four_mbytes(void **state)
{
    (void)state;
    tables_make();
    entry_size_expected = 4;
    const uint64_t linear = 9ull << 22 | 0x123456;
    table_set(0x1000, 9, 0x12c00000 | 0xa5u << 13 | 1u << 12 | PS | P | US | G);
    const struct seen seen = tables_see(&two_levels, linear);
    assert_true(seen.stretch.large);
    assert_int_equal(seen.stretch.linear, 9ull << 22);
    assert_int_equal(seen.stretch.size, 0x400000);
    assert_int_equal(seen.nr, 1);
    run_is(&seen.runs[0], 9ull << 22, 0xa512c00000, 1024, RECORD_MAP_USER | RECORD_MAP_GLOBAL, 22);

    /* Without CR4.PSE bit 7 says nothing. */
    const struct guest_paging no_pse = {two_levels.cr0, two_levels.cr3, PGE, 0};
    table_set(0x1000, 9, TABLE | PS | P | US);
    table_set(TABLE, 0x123, 0x7000 | P);
    assert_int_equal(tables_see(&no_pse, linear).runs[0].gpa, 0x7000);
}

static void large(void **state)
{
    (void)state;
    tables_make();
    table_set(0x3000, 2, 0x12345a00000 | P | US | PS | 1 << 12);
    const struct seen two_mib = tables_see(&four_levels, LINEAR);
    assert_true(two_mib.stretch.large);
    assert_int_equal(two_mib.stretch.linear, LINEAR & ~0x1fffffull);
    assert_int_equal(two_mib.stretch.size, 0x200000);
    assert_true(guest_stretch_maps(&two_mib.stretch, NULL, LINEAR | 0x1ff000));
    assert_int_equal(two_mib.nr, 1);
    run_is(&two_mib.runs[0], LINEAR & ~0x1fffffull, 0x12345a00000, 512, RECORD_MAP_USER, 21);

    table_set(0x2000, 3, 0x12340000000 | P | PS | G | 1 << 12);
    const struct seen gib = tables_see(&four_levels, LINEAR);
    assert_int_equal(gib.stretch.size, 0x40000000);
    assert_int_equal(gib.nr, 1);
    run_is(&gib.runs[0], LINEAR & ~0x3fffffffull, 0x12340000000, 0x40000, RECORD_MAP_GLOBAL, 30);

    /* The uppermost tables map nothing, in 4 levels and in 5. */
    tables_make();
    table_set(0x1000, 4, 0x2000 | P | PS);
    assert_false(tables_see(&four_levels, LINEAR).stretch.large);
    table_set(0x5000, 0, 0x1000 | P | PS);
    const struct guest_paging paging = {five_levels.cr0, 0x5000, five_levels.cr4, five_levels.efer};
    assert_false(tables_see(&paging, LINEAR).stretch.large);
}

/* NX forbids execution at every level, but means nothing without EFER.NXE. */
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
        tables_make();
        table_set(TABLE, 70, 0x7000 | P);
        table_set(TABLE, 71, 0x5000 | P);
        assert_true(entry_read(guest_memory, places[i].table + places[i].index * 8, 8, &entry));
        table_set(places[i].table, places[i].index, entry | NX);
        assert_int_equal(tables_see(&no_nxe, LINEAR).nr, 2);
        if (places[i].table != TABLE) {
            assert_false(tables_walk(&seen.stretch, &four_levels, LINEAR));
            assert_true(seen.stretch.forbidden);
            table_set(places[i].table, places[i].index, 0); /* not present: that is another matter */
            assert_false(tables_walk(&seen.stretch, &four_levels, LINEAR));
            assert_false(seen.stretch.forbidden);
            continue;
        }
        seen = tables_see(&four_levels, LINEAR);
        assert_int_equal(seen.nr, 1);
        run_is(&seen.runs[0], (LINEAR & ~0xfffull) + 0x1000, 0x5000, 1, 0, 12);
        assert_true(
            guest_stretch_maps(&seen.stretch, guest_memory + seen.stretch.table, LINEAR)); /* present all the same */
    }
    tables_make();
    table_set(0x3000, 2, 0x200000 | P | PS | NX);
    struct guest_stretch stretch;
    assert_false(tables_walk(&stretch, &four_levels, LINEAR));
    assert_int_equal(tables_see(&no_nxe, LINEAR).runs[0].gpa, 0x200000);
}

/* User mode gets there only if all entries on the way let it. */
static void user(void **state)
{
    (void)state;
    for (unsigned level = 0; level <= 4; level++) {
        tables_make();
        table_set(0x1000, 4, 0x2000 | P | (level == 4 ? 0 : US));
        table_set(0x2000, 3, 0x3000 | P | (level == 3 ? 0 : US));
        table_set(0x3000, 2, TABLE | P | (level == 2 ? 0 : US));
        table_set(TABLE, 70, 0x7000 | P | (level == 1 ? 0 : US));
        assert_int_equal(tables_see(&four_levels, LINEAR).runs[0].flags, level == 0 ? RECORD_MAP_USER : 0);
        table_set(0x3000, 2, 0x200000 | P | PS | (level == 2 ? 0 : US));
        assert_int_equal(tables_see(&four_levels, LINEAR).runs[0].flags, level <= 1 ? RECORD_MAP_USER : 0);
    }
    /* A PDPTE of PAE paging has no such bit. */
    tables_make();
    table_set(0x1000, 0, 0x2000 | P);
    table_set(0x2000, 0, TABLE | P | US);
    table_set(TABLE, 0, 0x7000 | P | US);
    assert_int_equal(tables_see(&pae, 0).runs[0].flags, RECORD_MAP_USER);
}

/* G counts in what maps a page, and where CR4.PGE is set: SDM "Global Pages". */
static void global(void **state)
{
    const struct guest_paging no_pge = {four_levels.cr0, four_levels.cr3, PAE, LMA};
    (void)state;
    tables_make();
    table_set(0x3000, 2, TABLE | P | US | G);
    table_set(TABLE, 70, 0x7000 | P);
    assert_int_equal(tables_see(&four_levels, LINEAR).runs[0].flags, 0);
    table_set(TABLE, 70, 0x7000 | P | G);
    assert_int_equal(tables_see(&four_levels, LINEAR).runs[0].flags, RECORD_MAP_GLOBAL);
    assert_int_equal(tables_see(&no_pge, LINEAR).runs[0].flags, 0);
    table_set(0x3000, 2, 0x200000 | P | PS | G);
    assert_int_equal(tables_see(&four_levels, LINEAR).runs[0].flags, RECORD_MAP_GLOBAL);
    assert_int_equal(tables_see(&no_pge, LINEAR).runs[0].flags, 0);
}

/* No paging, nothing present on the way, or tables where there is no guest_memory. */
static void nothing(void **state)
{
    const struct guest_paging off = {0, four_levels.cr3, four_levels.cr4, four_levels.efer},
                              far_away = {PG, sizeof guest_memory, four_levels.cr4, four_levels.efer};
    struct guest_stretch stretch;
    (void)state;
    tables_make();
    assert_true(tables_walk(&stretch, &four_levels, LINEAR));
    assert_false(guest_stretch_maps(&stretch, guest_memory + stretch.table, LINEAR));
    assert_int_equal(tables_see(&four_levels, LINEAR).nr, 0);
    assert_false(tables_walk(&stretch, &off, LINEAR));
    assert_false(tables_walk(&stretch, &far_away, LINEAR));
    static const uint64_t tables[] = {0x1000, 0x2000, 0x3000};
    static const unsigned indices[] = {4, 3, 2};
    for (unsigned i = 0; i < 3; i++) {
        tables_make();
        table_set(tables[i], indices[i], (tables[i] + 0x1000) | US);
        assert_false(tables_walk(&stretch, &four_levels, LINEAR));
        if (i == 2)
            break; /* whether the page table itself can be read is the caller's to find out */
        table_set(tables[i], indices[i], sizeof guest_memory | P | US);
        assert_false(tables_walk(&stretch, &four_levels, LINEAR));
    }
}

/* CR3 without PCID, PWT and PCD; all its bits count where addresses have as many. */
static void spaces(void **state)
{
    const struct guest_paging with_pcid = {PG, 0x8000000000000fffull | 0xabcde12345000, PAE | 1 << 17, LMA};
    (void)state;
    assert_int_equal(guest_space(&with_pcid), 0xabcde12345000);
    tables_make();
    table_set(TABLE, 70, 0x7000 | P);
    const struct guest_paging paging = {PG, 0x1000 | 0x801 | 1ull << 63, four_levels.cr4 | 1 << 17, LMA};
    assert_int_equal(tables_see(&paging, LINEAR).nr, 1);
}

/* A key is enough to read the tables in another mode: with the same result as the registers, and the space's name. */
static void keys(void **state)
{
    static const struct guest_paging others[] = {
        {PG, 0x1018, 0, NXE}, {PG, 0x1000, PSE | PGE, 0}, {PG, 0x1020, PAE, NXE}, {0, 0x1000, PAE, 0}};
    const struct guest_paging *const all[] = {&four_levels, &five_levels, &pae,       &two_levels,
                                              &others[0],   &others[1],   &others[2], &others[3]};
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t key = guest_space_key(all[i]);
        const struct guest_paging paging = guest_key_paging(key);
        struct guest_stretch is, was;
        tables_make();
        entry_size_expected = all[i]->cr4 & PAE ? 8 : 4;
        assert_int_equal(guest_key_space(key), guest_space(all[i]));
        assert_int_equal(guest_space(&paging), guest_space(all[i]));
        assert_int_equal(guest_space_key(&paging), key);
        memset(&is, 0, sizeof is);
        memset(&was, 0, sizeof was);
        assert_int_equal(tables_walk(&is, &paging, LINEAR), tables_walk(&was, all[i], LINEAR));
        if (all[i]->cr0 & PG)
            assert_memory_equal(&is, &was, sizeof is);
    }
    entry_size_expected = 8;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four),    cmocka_unit_test(an_address_leads_somewhere),
        cmocka_unit_test(five),    cmocka_unit_test(three),
        cmocka_unit_test(two),     cmocka_unit_test(four_mbytes),
        cmocka_unit_test(large),   cmocka_unit_test(no_execution),
        cmocka_unit_test(user),    cmocka_unit_test(global),
        cmocka_unit_test(nothing), cmocka_unit_test(spaces),
        cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
