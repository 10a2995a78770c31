/* Memory: a found range overlaps nothing else, for any memory map; reserving a range keeps all other bytes; the arena
 * never allocates a byte twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "boot/memory/carve.h"

#define MIB 0x100000ull

static struct memory_map map_of(const struct memory_range *ranges, unsigned nr)
{
    struct memory_map map = {.nr = 0};
    for (unsigned i = 0; i < nr; i++)
        assert_true(memory_map_add(&map, ranges[i].range, ranges[i].type));
    return map;
}

static const struct memory_range pc[] = {
    {{0, 0x9fc00}, MEMORY_USABLE},
    {{0x9fc00, 0xa0000}, MEMORY_RESERVED},
    {{0xf0000, MIB}, MEMORY_RESERVED},
    {{MIB, 511 * MIB}, MEMORY_USABLE},
    {{511 * MIB, 512 * MIB}, MEMORY_ACPI},
    {{0xfffc0000, 0x100000000}, MEMORY_RESERVED},
    {{0x100000000, 0x140000000}, MEMORY_USABLE},
};

static struct carve_request request_of(uint64_t size, uint64_t align, const struct range *avoid, unsigned nr)
{
    return (struct carve_request){
        .size = size, .align = align, .within = {MIB, 4096 * MIB}, .avoid = avoid, .nr_avoid = nr};
}

static void highest_fit_below_the_limit(void **state)
{
    struct memory_map map = map_of(pc, 7);
    struct carve_request request = request_of(8 * MIB, 2 * MIB, NULL, 0);
    struct range found;
    (void)state;
    assert_int_equal(memory_map_top(&map), 0x140000000);
    assert_true(carve_find(&found, &map, &request));
    assert_int_equal(found.start, 502 * MIB); /* 511 - 8, aligned down */
    assert_int_equal(found.end, 510 * MIB);
    request.size = 510 * MIB;
    request.align = MIB;
    assert_true(carve_find(&found, &map, &request));
    assert_int_equal(found.start, MIB);
    request.size++;
    assert_false(carve_find(&found, &map, &request));
    request.within = (struct range){0, UINT64_MAX};
    assert_true(carve_find(&found, &map, &request));
    assert_true(found.start >= 0x100000000);
}

static void modules_are_avoided(void **state)
{
    struct memory_map map = map_of(pc, 7);
    const struct range avoid[] = {{500 * MIB, 505 * MIB}, {505 * MIB, 511 * MIB}, {300 * MIB, 301 * MIB}};
    struct carve_request request = request_of(8 * MIB, 2 * MIB, avoid, 3);
    struct range found;
    (void)state;
    assert_true(carve_find(&found, &map, &request));
    assert_int_equal(found.end, 500 * MIB);
    request.size = 220 * MIB; /* only below the third */
    assert_true(carve_find(&found, &map, &request));
    assert_int_equal(found.end, 300 * MIB);
    assert_true(memory_range_free(&map, found, avoid, 3));
    found.end++;
    assert_false(memory_range_free(&map, found, avoid, 3));
}

/* Entries may overlap: what one of them calls reserved must not be used. */
static void overlapping_entries(void **state)
{
    const struct memory_range odd[] = {{{MIB, 100 * MIB}, MEMORY_USABLE},
                                       {{90 * MIB, 95 * MIB}, MEMORY_RESERVED},
                                       {{50 * MIB, 120 * MIB}, MEMORY_USABLE},
                                       {{115 * MIB, 200 * MIB}, MEMORY_NVS}};
    struct memory_map map = map_of(odd, 4);
    struct carve_request request = request_of(20 * MIB, MIB, NULL, 0);
    struct range found;
    (void)state;
    assert_true(carve_find(&found, &map, &request));
    assert_int_equal(found.start, 95 * MIB);
    assert_true(memory_range_free(&map, (struct range){40 * MIB, 60 * MIB}, NULL, 0)); /* across two usable entries */
    assert_false(memory_range_free(&map, (struct range){80 * MIB, 91 * MIB}, NULL, 0));
    assert_false(memory_range_free(&map, (struct range){0, 2 * MIB}, NULL, 0));
    assert_false(memory_range_free(&map, (struct range){2 * MIB, 2 * MIB}, NULL, 0));
}

/* For random maps and ranges to avoid: the result meets the request, and there is one iff an exhaustive search finds
 * one. */
static void random_maps(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        struct memory_map map = {.nr = 0};
        struct range avoid[3];
        for (int i = 0; i < 8; i++) {
            uint64_t start = (uint64_t)(rand() % 64), size = (uint64_t)(rand() % 24);
            memory_map_add(&map, (struct range){start * 4096, (start + size) * 4096}, 1 + (uint32_t)(rand() % 3) / 2);
        }
        for (int i = 0; i < 3; i++) {
            uint64_t start = (uint64_t)(rand() % 80) * 4096;
            avoid[i] = (struct range){start, start + (uint64_t)(rand() % 4) * 4096};
        }
        uint64_t align = 4096ull << rand() % 3, size = (uint64_t)(1 + rand() % 12) * 4096;
        struct carve_request request = {size, align, {4096, 70 * 4096}, avoid, 3};
        struct range found = {0, 0}, best = {0, 0};
        bool any = false;
        for (uint64_t at = 0; at + size <= 70 * 4096; at += align) {
            struct range candidate = {at, at + size};
            /* the search does not join adjoining usable entries */
            bool held = false;
            for (uint32_t i = 0; i < map.nr; i++)
                held |= map.ranges[i].type == MEMORY_USABLE && map.ranges[i].range.start <= candidate.start &&
                        candidate.end <= map.ranges[i].range.end;
            if (at >= 4096 && held && memory_range_free(&map, candidate, avoid, 3)) {
                any = true;
                best = candidate;
            }
        }
        assert_int_equal(carve_find(&found, &map, &request), any);
        if (any)
            assert_int_equal(found.start, best.start);
    }
}

static uint64_t bytes_of(const struct memory_map *map, uint32_t type)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < map->nr; i++)
        bytes += map->ranges[i].type == type ? map->ranges[i].range.end - map->ranges[i].range.start : 0;
    return bytes;
}

static void reserve_cuts(void **state)
{
    struct memory_map map = map_of(pc, 7);
    uint64_t usable = bytes_of(&map, MEMORY_USABLE), reserved = bytes_of(&map, MEMORY_RESERVED);
    (void)state;
    assert_true(memory_map_reserve(&map, (struct range){502 * MIB, 510 * MIB}));
    assert_int_equal(map.nr, 9);
    assert_int_equal(bytes_of(&map, MEMORY_USABLE), usable - 8 * MIB);
    assert_int_equal(bytes_of(&map, MEMORY_RESERVED), reserved + 8 * MIB);
    for (uint32_t i = 1; i < map.nr; i++)
        assert_true(map.ranges[i - 1].range.end <= map.ranges[i].range.start);
    assert_false(memory_range_free(&map, (struct range){505 * MIB, 506 * MIB}, NULL, 0));
    assert_true(memory_range_free(&map, (struct range){510 * MIB, 511 * MIB}, NULL, 0));

    /* At the edges of entries, and over whole entries. */
    map = map_of(pc, 7);
    assert_true(memory_map_reserve(&map, (struct range){MIB, 2 * MIB}));
    assert_int_equal(map.nr, 8);
    assert_true(memory_map_reserve(&map, (struct range){0, 4096 * MIB}));
    assert_int_equal(map.nr, 2);
    assert_int_equal(map.ranges[0].range.end, 4096 * MIB);
}

static void full_map(void **state)
{
    struct memory_map map = {.nr = 0};
    (void)state;
    for (uint64_t i = 0; i < MEMORY_MAP_MAX; i++)
        assert_true(memory_map_add(&map, (struct range){i * 0x4000, i * 0x4000 + 0x3000}, MEMORY_USABLE));
    assert_false(memory_map_add(&map, (struct range){MIB * 4096, MIB * 4097}, MEMORY_USABLE));
    struct memory_map before = map;
    assert_false(memory_map_reserve(&map, (struct range){0x1000, 0x2000}));
    assert_memory_equal(&map, &before, sizeof map);
    assert_true(memory_map_add(&map, (struct range){5, 5}, MEMORY_USABLE));
    assert_true(memory_map_add(&map, (struct range){6, 5}, MEMORY_USABLE));
    assert_int_equal(map.nr, MEMORY_MAP_MAX);
}

static void arena(void **state)
{
    static _Alignas(4096) uint8_t memory[0x4000];
    struct arena a = {memory, 0x7ff000, sizeof memory, 0};
    (void)state;
    memset(memory, 0xff, sizeof memory);
    uint8_t *first = arena_take(&a, 10, 8);
    assert_ptr_equal(first, memory);
    assert_int_equal(first[9], 0);
    assert_int_equal(first[10], 0xff);
    assert_ptr_equal(arena_take(&a, 1, 4096), memory + 0x1000); /* aligned by its physical address */
    assert_ptr_equal(arena_take(&a, 0x1000, 0x2000), memory + 0x3000);
    assert_null(arena_take(&a, 1, 1));
    assert_null(arena_take(&a, UINT64_MAX, 1));
    a.used = 0;
    assert_null(arena_take(&a, 0x1000, 0x1000000));
    assert_ptr_equal(arena_take(&a, 0x4000, 1), memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_fit_below_the_limit),
        cmocka_unit_test(modules_are_avoided),
        cmocka_unit_test(overlapping_entries),
        cmocka_unit_test(random_maps),
        cmocka_unit_test(reserve_cuts),
        cmocka_unit_test(full_map),
        cmocka_unit_test(arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
