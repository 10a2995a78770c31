/* UEFI's memory map: our range becomes reserved, all else stays the same; the copy never exceeds efi_map_bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/guest/efi_map.h"

#define SIZE 48u /* firmware uses more than the 40 bytes of the specification */
#define NR_MAX 20u

struct entry {
    uint32_t type;
    uint64_t start, end; /* pages */
};

static uint8_t bytes[NR_MAX * SIZE];

static struct boot_efi_map map_of(const struct entry *entries, unsigned nr)
{
    memset(bytes, 0xa5, sizeof bytes);
    for (unsigned i = 0; i < nr; i++) {
        uint8_t *at = bytes + i * SIZE;
        put32(at, entries[i].type);
        put64(at + 8, entries[i].start << 12);
        put64(at + 24, entries[i].end - entries[i].start);
        put64(at + 32, 0xf);
    }
    return (struct boot_efi_map){bytes, nr * SIZE, SIZE, 1};
}

static void check(const struct boot_efi_map *map, struct range ours, const struct entry *expected, unsigned nr)
{
    uint8_t *out = malloc(efi_map_bytes(map));
    assert_non_null(out);
    assert_int_equal(efi_map_build(out, map, ours), nr * SIZE);
    for (unsigned i = 0; i < nr; i++) {
        const uint8_t *at = out + i * SIZE;
        assert_int_equal(read32(at), expected[i].type);
        assert_int_equal(read64(at + 8), expected[i].start << 12);
        assert_int_equal(read64(at + 24), expected[i].end - expected[i].start);
        assert_int_equal(read64(at + 32), 0xf);
        assert_int_equal(at[40], 0xa5);
    }
    free(out);
}

static const struct entry firmware[] = {{7, 0, 0x9f}, {7, 0x100, 0x1000}, {4, 0x1000, 0x1100}, {6, 0x1100, 0x1200}};

static void cuts(void **state)
{
    struct boot_efi_map map = map_of(firmware, 4);
    (void)state;
    check(&map, (struct range){0, 0}, firmware, 4);
    const struct entry middle[] = {{7, 0, 0x9f},       {7, 0x100, 0x800},   {0, 0x800, 0x900},
                                   {7, 0x900, 0x1000}, {4, 0x1000, 0x1100}, {6, 0x1100, 0x1200}};
    check(&map, (struct range){0x800000, 0x900000}, middle, 6);
    const struct entry across[] = {{7, 0, 0x9f},        {7, 0x100, 0xf00},   {0, 0xf00, 0x1000},
                                   {0, 0x1000, 0x1080}, {4, 0x1080, 0x1100}, {6, 0x1100, 0x1200}};
    check(&map, (struct range){0xf00000, 0x1080000}, across, 6);
    const struct entry whole[] = {{7, 0, 0x9f}, {0, 0x100, 0x1000}, {0, 0x1000, 0x1100}, {6, 0x1100, 0x1200}};
    check(&map, (struct range){0x100000, 0x1100000}, whole, 4);
    map.size += SIZE - 1; /* an incomplete descriptor at the end is ignored */
    check(&map, (struct range){0x100000, 0x1100000}, whole, 4);
}

static void invalid_maps(void **state)
{
    struct boot_efi_map map = map_of(firmware, 4);
    uint8_t nothing;
    (void)state;
    map.descriptor_size = 39;
    assert_int_equal(efi_map_bytes(&map), 0);
    assert_int_equal(efi_map_build(&nothing, &map, (struct range){0, 0x1000}), 0);
    map.descriptor_size = map.size + 1;
    assert_int_equal(efi_map_bytes(&map), 0);
    map.descriptor_size = 0;
    assert_int_equal(efi_map_bytes(&map), 0);
    map.bytes = NULL;
    assert_int_equal(efi_map_bytes(&map), 0);
}

/* For random maps, our range is reserved, and the copy stays in its memory, which the sanitizer checks. */
static void random_maps(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < 2000; round++) {
        struct entry entries[NR_MAX];
        unsigned nr = 1 + (unsigned)rand() % NR_MAX;
        for (unsigned i = 0; i < nr; i++) {
            uint64_t start = (unsigned)rand() % 64;
            entries[i] = (struct entry){7, start, start + (unsigned)rand() % 16};
        }
        struct boot_efi_map map = map_of(entries, nr);
        uint64_t start = (unsigned)rand() % 64;
        struct range ours = {start << 12, (start + 1 + (unsigned)rand() % 16) << 12};
        uint32_t limit = efi_map_bytes(&map);
        uint8_t *out = malloc(limit);
        assert_non_null(out);
        uint32_t used = efi_map_build(out, &map, ours);
        assert_true(used <= limit && used % SIZE == 0);
        for (uint32_t at = 0; at < used; at += SIZE) {
            uint64_t base = read64(out + at + 8);
            struct range all = {base, base + (read64(out + at + 24) << 12)};
            if (all.start < all.end && range_overlaps(all, ours))
                assert_int_equal(read32(out + at), 0);
        }
        free(out);
    }
}

static void check_places(const struct memory_map *map, const struct boot_efi_map *efi,
                         const struct memory_range *expected, uint32_t nr)
{
    struct memory_map places;
    efi_map_places(&places, map, efi);
    assert_int_equal(places.nr, nr);
    for (uint32_t i = 0; i < nr; i++) {
        assert_int_equal(places.ranges[i].type, expected[i].type);
        assert_int_equal(places.ranges[i].range.start, expected[i].range.start);
        assert_int_equal(places.ranges[i].range.end, expected[i].range.end);
    }
}

/* Usable is what both maps call free. */
static void places(void **state)
{
    (void)state;
    struct memory_map map = {.nr = 0};
    memory_map_add(&map, (struct range){0, 0x9f000}, MEMORY_USABLE);
    memory_map_add(&map, (struct range){0x100000, 0x300000}, MEMORY_USABLE);
    memory_map_add(&map, (struct range){0x300000, 0x301000}, MEMORY_RESERVED); /* by GRUB's cutmem */
    memory_map_add(&map, (struct range){0x301000, 0x1100000}, MEMORY_USABLE);
    memory_map_add(&map, (struct range){0x1100000, 0x1200000}, MEMORY_RESERVED);

    /* In no order: loader code and data and conventional memory adjoin, and boot services' follow. */
    const struct entry entries[] = {{2, 0x200, 0x800},   {3, 0x900, 0xa00},  {7, 0, 0x9f},      {1, 0x100, 0x200},
                                    {4, 0x1000, 0x1100}, {7, 0xa00, 0x1000}, {7, 0x800, 0x900}, {6, 0x1100, 0x1200},
                                    {7, 0x2000, 0x2000}, {7, 0x500, 0x600}};
    struct boot_efi_map efi = map_of(entries, 10);
    const struct memory_range expected[] = {
        {{0x300000, 0x301000}, MEMORY_RESERVED}, {{0x1100000, 0x1200000}, MEMORY_RESERVED},
        {{0, 0x9f000}, MEMORY_USABLE},           {{0x100000, 0x300000}, MEMORY_USABLE},
        {{0x301000, 0x900000}, MEMORY_USABLE},   {{0xa00000, 0x1000000}, MEMORY_USABLE}};
    check_places(&map, &efi, expected, 6);
    put64(bytes + 5 * SIZE + 32, 1u << 18 | 0xf); /* EFI_MEMORY_SP */
    check_places(&map, &efi, expected, 5);
    efi.size = 0; /* booted by a BIOS */
    check_places(&map, &efi, map.ranges, map.nr);
    efi.bytes = NULL;
    check_places(&map, &efi, map.ranges, map.nr);
}

/* A piece of memory for each page in two: what does not fit is not used. */
static void places_without_number(void **state)
{
    (void)state;
    enum { NR = 2 * MEMORY_MAP_MAX };
    struct memory_map map = {.nr = 0}, found;
    uint8_t *many = calloc(NR, SIZE);
    assert_non_null(many);
    for (uint32_t i = 0; i < NR; i++) {
        put32(many + i * SIZE, 7);
        put64(many + i * SIZE + 8, (uint64_t)i << 13);
        put64(many + i * SIZE + 24, i == 1 ? ~0ull : 1); /* the second wraps around */
    }
    memory_map_add(&map, (struct range){0, UINT64_MAX}, MEMORY_USABLE);
    efi_map_places(&found, &map, &(const struct boot_efi_map){many, NR * SIZE, SIZE, 1});
    assert_int_equal(found.nr, MEMORY_MAP_MAX);
    for (uint32_t i = 0; i < found.nr; i++)
        assert_int_equal(found.ranges[i].range.end - found.ranges[i].range.start, 4096);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts),   cmocka_unit_test(invalid_maps),          cmocka_unit_test(random_maps),
        cmocka_unit_test(places), cmocka_unit_test(places_without_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
