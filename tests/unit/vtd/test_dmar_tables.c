/*
 * Tables for DMA remapping, walked as by a remapping unit: Intel VT-d, Architecture Specification 4.1, sections 3.4.2,
 * 3.4.3, 3.7, 7.1.3 (reasons of faults), 9.1, 9.3, 9.8. The walker shares no code with the builder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vtd/dmar_tables.h"

#define KIB4 4096ull
#define MIB2 (2ull << 20)
#define GIB (1ull << 30)
#define BDF(bus, device, function) (uint16_t)((bus) << 8 | (device) << 3 | (function))

/* --- a unit's walk --------------------------------------------------------------------------------------------------
 */

/* A capability register: SAGAW, MGAW, 2 MiB, 1 GiB. */
static uint64_t cap(unsigned sagaw, unsigned width, bool mib, bool gib)
{
    return 2 | (uint64_t)sagaw << 8 | (uint64_t)(width - 1) << 16 | (uint64_t)mib << 34 | (uint64_t)gib << 35;
}

struct machine {
    uint8_t *memory; /* at physical address pa */
    uint64_t pa, size;
    uint64_t cap;
};

/* Read a quadword, which must lie in the arena. */
static uint64_t quad(const struct machine *m, uint64_t pa)
{
    uint64_t value;
    assert_true(pa >= m->pa && pa + 8 <= m->pa + m->size);
    memcpy(&value, m->memory + (pa - m->pa), 8);
    return value;
}

enum reason {
    GRANTED = 0,
    ROOT_NOT_PRESENT = 1,
    CONTEXT_NOT_PRESENT = 2,
    CONTEXT_INVALID = 3,
    BEYOND_WIDTH = 4,
    NO_WRITE = 5,
    NO_READ = 6
};

struct answer {
    enum reason reason;
    uint64_t pa;
    unsigned domain, level; /* level of the page: 1, 2, 3 */
};

/* A request without PASID, in legacy mode. */
static struct answer ask(const struct machine *m, uint64_t root_pa, uint16_t source, uint64_t address, bool write)
{
    const uint64_t root = quad(m, root_pa + 16 * (source >> 8));
    assert_int_equal(root_pa % KIB4, 0);
    assert_int_equal(quad(m, root_pa + 16 * (source >> 8) + 8), 0);
    if (!(root & 1))
        return (struct answer){.reason = ROOT_NOT_PRESENT};
    assert_int_equal(root & 0xffe, 0);
    const uint64_t at = (root & ~0xfffull) + 16 * (source & 0xff), low = quad(m, at), high = quad(m, at + 8);
    if (!(low & 1))
        return (struct answer){.reason = CONTEXT_NOT_PRESENT};
    assert_int_equal(low & 0xffe, 0); /* reserved bits, FPD and translation type are 0 */
    assert_int_equal(high & ~0xffff07ull, 0);
    const unsigned width = high & 7, domain = high >> 8 & 0xffff;
    if (width < 1 || width > 3 || !(m->cap >> (8 + width) & 1))
        return (struct answer){.reason = CONTEXT_INVALID};
    if (address >> ((m->cap >> 16 & 0x3f) + 1) != 0 || address >> (30 + 9 * width) != 0)
        return (struct answer){.reason = BEYOND_WIDTH};

    uint64_t table = low & ~0xfffull;
    for (unsigned level = width + 2;; level--) {
        const unsigned shift = 12 + 9 * (level - 1);
        const uint64_t entry = quad(m, table + 8 * (address >> shift & 511));
        if (!(entry & (write ? 2 : 1)))
            return (struct answer){.reason = write ? NO_WRITE : NO_READ};
        const bool page = level == 1 || entry >> 7 & 1;
        /* Bits that are reserved on some units are 0: snooping, memory types, ignored bits. */
        assert_int_equal(entry & 0xfff0000000000f7cull & ~(level == 1 ? 0 : 0x80ull), 0);
        if (level == 3 && page)
            assert_true(m->cap >> 35 & 1);
        if (level == 2 && page)
            assert_true(m->cap >> 34 & 1);
        assert_true(!page || level <= 3);
        const uint64_t base = entry & 0x000ffffffffff000ull;
        if (page) {
            assert_int_equal(base & ((1ull << shift) - 1), 0);
            return (struct answer){GRANTED, base | (address & ((1ull << shift) - 1)), domain, level};
        }
        table = base;
    }
}

/* --- the tables ----------------------------------------------------------------------------------------------------
 */

struct built {
    struct machine machine;
    struct dmar_layout layout;
    struct dmar_tables tables;
    struct arena arena;
};

#define TABLES_AT 0x7d000000ull

static bool build_with(struct built *b, uint64_t bytes)
{
    b->machine.pa = TABLES_AT;
    b->machine.size = bytes;
    b->machine.memory = aligned_alloc(KIB4, bytes);
    memset(b->machine.memory, 0xa5, bytes);
    b->arena = (struct arena){b->machine.memory, TABLES_AT, bytes, 0};
    return dmar_tables_build(&b->tables, &b->arena, &b->layout);
}

static void build(struct built *b, uint64_t capabilities, uint64_t top, struct range ours)
{
    struct dmar_shape shape;
    assert_null(dmar_shape_of(&shape, &capabilities, 1));
    *b = (struct built){.machine = {.cap = capabilities},
                        .layout = {.shape = shape,
                                   .reach = dmar_reach(&shape, top, (capabilities >> 16 & 63) + 1),
                                   .ours = ours,
                                   .requesters = {BDF(3, 0, 0), BDF(0, 0x1c, 0), BDF(3, 2, 1)},
                                   .nr_requesters = 3}};
    assert_true(b->layout.reach >= top && b->layout.reach >= 4 * GIB);
    assert_true(build_with(b, KIB4 * dmar_table_pages(&shape, b->layout.reach, ours.end - ours.start)));
}

static void expect(const struct built *b, uint16_t source, uint64_t address, bool reaches, unsigned domain)
{
    for (int write = 0; write < 2; write++) {
        const struct answer answer = ask(&b->machine, b->tables.root_pa, source, address, write);
        if (reaches) {
            assert_int_equal(answer.reason, GRANTED);
            assert_int_equal(answer.pa, address);
            assert_int_equal(answer.domain, domain);
        } else {
            assert_int_equal(answer.reason, write ? NO_WRITE : NO_READ);
        }
    }
}

/* Around each boundary, and everywhere in steps that are not a multiple of a page size. */
static void check_around(const struct built *b)
{
    const struct range ours = b->layout.ours;
    const uint64_t reach = b->layout.reach;
    const uint64_t borders[] = {KIB4, ours.start, ours.end, GIB, 4 * GIB, reach};
    for (unsigned i = 0; i < sizeof borders / sizeof borders[0]; i++) {
        for (int step = -3; step < 3; step++) {
            const uint64_t at = borders[i] + (uint64_t)(int64_t)step * 0x800;
            const bool is_ours = at >= ours.start && at < ours.end;
            if (at >= reach)
                continue;
            expect(b, BDF(0, 0x1f, 2), at, !is_ours, 1);
            expect(b, BDF(3, 1, 0), at, !is_ours, 1); /* on the card's bus */
            expect(b, BDF(3, 0, 0), at, is_ours, 2);
            expect(b, BDF(0, 0x1c, 0), at, is_ours, 2);
            expect(b, BDF(3, 2, 1), at, is_ours, 2);
        }
    }
    for (uint64_t at = 0; at < reach; at += reach / 1999 + 0x1239) {
        const bool is_ours = at >= ours.start && at < ours.end;
        expect(b, BDF(0xff, 0x1f, 7), at, !is_ours, 1);
        expect(b, BDF(3, 0, 0), at, is_ours, 2);
    }
    /* Each page of our memory. */
    for (uint64_t at = ours.start; at < ours.end; at += KIB4) {
        expect(b, BDF(0, 2, 0), at + 0x321, false, 0);
        expect(b, BDF(3, 0, 0), at + 0x321, true, 2);
    }
    /* On another segment, our card's number is an ordinary device. */
    assert_int_equal(ask(&b->machine, b->tables.others_pa, BDF(3, 0, 0), ours.start, true).reason, NO_WRITE);
    assert_int_equal(ask(&b->machine, b->tables.others_pa, BDF(3, 0, 0), ours.end, true).reason, GRANTED);
}

static void access_rights_of_devices(void **state)
{
    (void)state;
    /* Depths of 3, 4 and 5 tables; pages of 4 KiB, 2 MiB, 1 GiB. */
    static const struct {
        unsigned sagaw, width;
        bool mib, gib;
    } units[] = {{2, 39, true, true},   {2, 39, true, false}, {4, 39, true, true},
                 {4, 46, true, true},   {4, 48, true, false}, {4, 39, false, false},
                 {6, 39, false, false}, {8, 52, true, true},  {0xe, 57, false, true}};
    static const struct range places[] = {{0x7e000000, 0x7f000000},         /* within a GiB */
                                          {2 * GIB - MIB2, 2 * GIB + MIB2}, /* across a GiB boundary */
                                          {0, MIB2},                        /* at address 0 */
                                          {4 * GIB - 2 * MIB2, 4 * GIB},    /* at 4 GiB */
                                          {0x3fe00000, 0x80200000},         /* more than a GiB */
                                          {0x7e123000, 0x7e457000}};        /* not a multiple of 2 MiB */
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        for (unsigned k = 0; k < sizeof places / sizeof places[0]; k++) {
            struct built b;
            build(&b, cap(units[i].sagaw, units[i].width, units[i].mib, units[i].gib), 5 * GIB + 0x12345000, places[k]);
            check_around(&b);
            free(b.machine.memory);
        }
    }
}

static void large_pages_if_all_units_support_them(void **state)
{
    (void)state;
    const struct range ours = {0x7e000000, 0x7f000000};
    struct built b;
    build(&b, cap(4, 39, true, true), 3 * GIB, ours);
    assert_int_equal(ask(&b.machine, b.tables.root_pa, 0x28, 3 * GIB, false).level, 3);
    assert_int_equal(ask(&b.machine, b.tables.root_pa, 0x28, ours.start - 1, false).level, 2);
    /* For 512 GiB: three tables for each domain, contexts for two buses and for all others, two roots. */
    assert_int_equal(b.arena.used, 11 * KIB4);
    free(b.machine.memory);
    build(&b, cap(4, 39, false, true), 3 * GIB, ours); /* 1 GiB without 2 MiB */
    assert_int_equal(ask(&b.machine, b.tables.root_pa, 0x28, 3 * GIB, false).level, 1);
    free(b.machine.memory);

    const uint64_t machine[] = {cap(4, 39, true, true), cap(6, 48, true, false)};
    struct dmar_shape shape;
    assert_null(dmar_shape_of(&shape, machine, 2));
    assert_int_equal(shape.levels, 4);
    assert_int_equal(shape.largest, 2);
    assert_int_equal(shape.width, 39);
}

/* Capability registers that Linux has logged on machines of 2014 to 2022: one unit for the graphics, one for the rest.
 */
static void real_units(void **state)
{
    (void)state;
    const uint64_t broadwell[] = {0x1c0000c40660462, 0xd2008020660462};
    const uint64_t skylake[] = {0x1c0000c40660462, 0xd2008c40660462};
    struct dmar_shape shape;
    assert_null(dmar_shape_of(&shape, broadwell, 2));
    assert_int_equal(shape.levels, 4);
    assert_int_equal(shape.largest, 1);
    assert_int_equal(shape.width, 39);
    assert_int_equal(dmar_reach(&shape, 16 * GIB + 1, 39), 17 * GIB);
    assert_null(dmar_shape_of(&shape, skylake, 2));
    assert_int_equal(shape.levels, 4);
    assert_int_equal(shape.largest, 3);
    assert_int_equal(dmar_reach(&shape, 16 * GIB + 1, 39), 512 * GIB);
    assert_int_equal(dmar_reach(&shape, 16 * GIB + 1, 46), 512 * GIB); /* limited by the units */
    assert_int_equal(dmar_reach(&shape, 512 * GIB + 1, 46), 0);
    /* A server: its whole address space, at most 64 TiB, or more if RAM ends above. */
    const uint64_t server = cap(4, 52, true, true);
    assert_null(dmar_shape_of(&shape, &server, 1));
    assert_int_equal(dmar_reach(&shape, 3 * GIB, 36), 64 * GIB);
    assert_int_equal(dmar_reach(&shape, 3 * GIB, 46), 64ull << 40);
    assert_int_equal(dmar_reach(&shape, 3 * GIB, 52), 64ull << 40);
    assert_int_equal(dmar_reach(&shape, (64ull << 40) + GIB, 52), (64ull << 40) + GIB);
    assert_in_range(dmar_table_pages(&shape, 64ull << 40, 32ull << 20), 128, 160);
    assert_int_equal(dmar_reach(&shape, (64ull << 40) + 1, 46), (64ull << 40) + GIB);
}

static void unsupported_units(void **state)
{
    (void)state;
    const uint64_t unlike[] = {cap(2, 39, true, true), cap(4, 48, true, true)};
    struct dmar_shape shape;
    assert_non_null(dmar_shape_of(&shape, unlike, 2));

    struct built b;
    build(&b, cap(4, 39, true, false), 4 * GIB, (struct range){0x7e000000, 0x7f000000});
    const uint64_t needed = b.arena.used;
    free(b.machine.memory);
    for (uint64_t pages = 1; pages <= needed / KIB4; pages++) {
        assert_int_equal(build_with(&b, pages * KIB4), pages == needed / KIB4);
        free(b.machine.memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(access_rights_of_devices),
        cmocka_unit_test(large_pages_if_all_units_support_them),
        cmocka_unit_test(real_units),
        cmocka_unit_test(unsupported_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
