/* Memory maps of real machines, as printed by their kernels, and unusual ones: our range, the guest's map without it,
 * and root mode's page tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/phys.h"
#include "boot/guest/efi_map.h"
#include "boot/memory/page_entry.h"
#include "boot/memory/paging.h"
#include "tests/unit/boot/real_maps.h"

#define MIB 0x100000ull
#define GIB (1ull << 30)
/* boot/memory/image.h: 12 pages. */
__asm__(".pushsection .data\n"
        ".balign 4096\n"
        ".globl image_start, image_text_end, image_rodata_end, image_end, moved_end\n"
        "image_start: .skip 0x4000\n"
        "image_text_end: .skip 0x2000\n"
        "image_rodata_end: .skip 0x4000\n"
        "image_end: .skip 0x2000\n"
        "moved_end:\n"
        ".popsection");

/* Add entries in ascending or descending order. */
static struct memory_map map_of(const struct machine_map *machine, bool backwards)
{
    struct memory_map map = {.nr = 0};
    for (unsigned i = 0; i < NR_MAX; i++) {
        const struct memory_range *m = &machine->ranges[backwards ? NR_MAX - 1 - i : i];
        if (m->type)
            assert_true(memory_map_add(&map, m->range, m->type));
    }
    return map;
}

/* Is each page in a usable entry, and in no other? Independent of boot/memory/carve.c, which is under test. */
static bool is_free(const struct memory_map *map, struct range range)
{
    uint64_t reached = range.start;
    for (uint32_t i = 0; i < map->nr; i++)
        if (map->ranges[i].type != U && range_overlaps(map->ranges[i].range, range))
            return false;
    for (uint32_t i = 0, k = 0; k < map->nr; i = (i + 1) % map->nr, k++)
        if (map->ranges[i].type == U && map->ranges[i].range.start <= reached && map->ranges[i].range.end > reached) {
            reached = map->ranges[i].range.end;
            k = 0; /* another entry may continue there */
        }
    return reached >= range.end;
}

/* The number of bytes in usable entries that are in no other entry. */
static uint64_t usable_bytes(const struct memory_map *map)
{
    uint64_t edges[2 * MEMORY_MAP_MAX], bytes = 0;
    unsigned nr = 0;
    for (uint32_t i = 0; i < map->nr; i++) {
        edges[nr++] = map->ranges[i].range.start;
        edges[nr++] = map->ranges[i].range.end;
    }
    for (unsigned i = 0; i < nr; i++) {
        uint64_t next = UINT64_MAX;
        bool first = true;
        for (unsigned k = 0; k < nr; k++) {
            if (edges[k] > edges[i] && edges[k] < next)
                next = edges[k];
            first = first && !(k < i && edges[k] == edges[i]);
        }
        if (first && next != UINT64_MAX && is_free(map, (struct range){edges[i], next}))
            bytes += next - edges[i];
    }
    return bytes;
}

static struct range carve(const struct memory_map *map, uint64_t size, uint64_t align)
{
    const struct carve_request request = {.size = size, .align = align, .within = {MIB, 4 * GIB}};
    struct range found;
    assert_true(carve_find(&found, map, &request));
    return found;
}

/* Our range is free memory below 4 GiB, and the guest loses exactly that. */
static void our_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * NR_MACHINES; i++) {
        struct memory_map map = map_of(&machines[i / 2], i % 2);
        const uint64_t usable = usable_bytes(&map);
        for (uint64_t size = 8 * MIB; size <= 512 * MIB; size *= 8) {
            const struct range ours = carve(&map, size, 2 * MIB);
            assert_int_equal(ours.start % (2 * MIB), 0);
            assert_true(ours.end <= 4 * GIB && is_free(&map, ours));
            struct memory_map guest = map;
            assert_true(memory_map_reserve(&guest, ours));
            assert_int_equal(usable_bytes(&guest), usable - size);
            assert_int_equal(memory_map_top(&guest), memory_map_top(&map));
        }
    }
}

/* --- root mode's page tables
 * ------------------------------------------------------------------------------------------
 */

static void *tables;

static const uint64_t *table_of(uint64_t entry)
{
    return phys_to_virt(entry & PAGE_ADDRESS);
}

/* The direct map's entry for pa, and the size of its page. */
static uint64_t leaf(uint64_t cr3, uint64_t pa, uint64_t *size)
{
    const uint64_t va = DIRECT_MAP_BASE + pa;
    const uint64_t upper = table_of(cr3)[va >> 39 & 511];
    assert_true(upper & PAGE_PRESENT && upper & PAGE_NX);
    uint64_t entry = table_of(upper)[va >> 30 & 511];
    *size = GIB;
    assert_true(entry & PAGE_PRESENT);
    if (!(entry & PAGE_LARGE)) {
        entry = table_of(entry)[va >> 21 & 511];
        *size = LARGE_PAGE;
    }
    assert_true((entry & PAGE_PRESENT) && (entry & PAGE_LARGE) && (entry & PAGE_WRITE));
    return entry;
}

static bool is_cached(const struct memory_map *map, uint64_t pa, uint64_t size)
{
    for (uint32_t i = 0; i < map->nr; i++) {
        const struct memory_range *m = &map->ranges[i];
        if ((m->type == U || m->type == A || m->type == N) && range_overlaps(m->range, (struct range){pa, pa + size}))
            return true;
    }
    return false;
}

static void check_leaf(const struct memory_map *map, uint64_t cr3, uint64_t pa)
{
    uint64_t size;
    const uint64_t entry = leaf(cr3, pa, &size), page = entry & PAGE_ADDRESS & ~(size - 1);
    assert_int_equal(page, pa & ~(size - 1));
    assert_int_equal((entry & PAGE_UNCACHEABLE) == 0, is_cached(map, page, size));
    for (uint32_t i = 0; i < map->nr && size == GIB; i++) /* a 1-GiB page contains no device registers */
        assert_true(map->ranges[i].type == U ||
                    !range_overlaps(map->ranges[i].range, (struct range){page, page + size}));
}

/* paging_bytes is enough, and both ends of each entry are mapped, for each map. */
static void page_tables_map_everything(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * NR_MACHINES; i++) {
        const struct memory_map map = map_of(&machines[i / 2], i % 2);
        const uint64_t top = memory_map_top(&map), bytes = paging_bytes(top);
        assert_true(bytes < 16 * MIB);
        tables = aligned_alloc(4096, bytes);
        assert_non_null(tables);
        struct arena arena = {tables, virt_to_phys(tables), bytes, 0};
        const uint64_t cr3 = paging_build(&arena, &map, top, 0x7000000);
        assert_true(cr3 != 0);
        for (uint32_t k = 0; k < map.nr; k++) {
            const struct range r = map.ranges[k].range;
            const uint64_t places[] = {r.start, r.end - 1, r.start + (r.end - r.start) / 2, r.end};
            for (unsigned p = 0; p < 4; p++)
                if (places[p] < (top > 4 * GIB ? top : 4 * GIB))
                    check_leaf(&map, cr3, places[p]);
        }
        free(tables);
    }
}

/* --- the guest's UEFI map --------------------------------------------------------------------------------------------
 */

#define DESCRIPTOR 48u

/* UEFI's EfiConventionalMemory, EfiReservedMemoryType, EfiACPIReclaimMemory, EfiACPIMemoryNVS, EfiPersistentMemory. */
static const uint8_t efi_types[] = {[U] = 7, [R] = 0, [A] = 9, [N] = 10, [PERSISTENT] = 14};

static void our_range_is_reserved_in_uefi_map(void **state)
{
    (void)state;
    for (size_t i = 0; i < NR_MACHINES; i++) {
        const struct memory_map map = map_of(&machines[i], false);
        const struct range ours = carve(&map, 64 * MIB, 2 * MIB);
        uint8_t bytes[NR_MAX * DESCRIPTOR] = {0};
        for (uint32_t k = 0; k < map.nr; k++) {
            const struct range r = map.ranges[k].range;
            put32(bytes + k * DESCRIPTOR, efi_types[map.ranges[k].type]);
            put64(bytes + k * DESCRIPTOR + 8, r.start & ~0xfffull);
            put64(bytes + k * DESCRIPTOR + 24, (r.end >> 12) - (r.start >> 12));
        }
        const struct boot_efi_map firmware = {bytes, map.nr * DESCRIPTOR, DESCRIPTOR, 1};
        uint8_t *out = malloc(efi_map_bytes(&firmware));
        assert_non_null(out);
        const uint32_t used = efi_map_build(out, &firmware, ours);
        uint64_t before = 0, after = 0, reserved = 0;
        for (uint32_t at = 0; at < firmware.size; at += DESCRIPTOR)
            before += read64(bytes + at + 24);
        for (uint32_t at = 0; at < used; at += DESCRIPTOR) {
            const struct range r = {read64(out + at + 8), read64(out + at + 8) + (read64(out + at + 24) << 12)};
            after += read64(out + at + 24);
            if (range_overlaps(r, ours)) {
                assert_int_equal(read32(out + at), 0);
                reserved += r.end - r.start;
            }
        }
        assert_int_equal(after, before);
        assert_true(reserved >= ours.end - ours.start);
        free(out);
    }
}

/* --- UEFI's memory of the boot services ------------------------------------------------------------------------------
 */

static bool is_boot_free(uint32_t efi_type)
{
    return efi_type == 1 || efi_type == 2 || efi_type == 7;
}

/* GRUB 2.06, grub_efi_mmap_iterate: what it calls usable. */
static uint32_t type_by_grub(uint32_t efi_type)
{
    static const uint32_t types[] = {R, U, U, U, U, R, R, U, MEMORY_BAD, A, N, R, R, R};
    return types[efi_type];
}

/* Our range and the parts of the guest are only where neither the firmware nor its boot services have anything. */
static void boot_services_stay(void **state)
{
    (void)state;
    static uint8_t bytes[NR_OVMF * DESCRIPTOR];
    for (unsigned backwards = 0; backwards < 2; backwards++) {
        struct memory_map map = {.nr = 0}, places;
        uint64_t free_pages = 0;
        for (unsigned i = 0; i < NR_OVMF; i++) {
            uint8_t *at = bytes + (backwards ? NR_OVMF - 1 - i : i) * DESCRIPTOR;
            put32(at, ovmf[i].type);
            put64(at + 8, ovmf[i].start << 12);
            put64(at + 24, ovmf[i].end - ovmf[i].start);
            assert_true(memory_map_add(&map, (struct range){ovmf[i].start << 12, ovmf[i].end << 12},
                                       type_by_grub(ovmf[i].type)));
            free_pages += is_boot_free(ovmf[i].type) ? ovmf[i].end - ovmf[i].start : 0;
        }
        const struct boot_efi_map efi = {bytes, sizeof bytes, DESCRIPTOR, 1};
        efi_map_places(&places, &map, &efi);
        assert_int_equal(usable_bytes(&places), free_pages << 12);
        for (uint64_t size = 4096; size <= 512 * MIB; size *= 2) {
            const struct range r = carve(&places, size, size < 2 * MIB ? size : 2 * MIB);
            assert_true(is_free(&map, r));
            for (unsigned i = 0; i < NR_OVMF; i++)
                assert_false(!is_boot_free(ovmf[i].type) &&
                             range_overlaps(r, (struct range){ovmf[i].start << 12, ovmf[i].end << 12}));
        }
        const struct range was = carve(&map, 64 * MIB, 2 * MIB); /* without UEFI's map */
        assert_false(is_free(&places, was));
    }
}

/* 1 TiB, and one page above: another PDPT, and another page directory. */
static void tables_grow_with_the_top(void **state)
{
    (void)state;
    assert_int_equal(paging_bytes(0), paging_bytes(4 * GIB));
    assert_int_equal(paging_bytes(1024 * GIB), 4096 * (1 + 3 + 2 + 1024));
    assert_int_equal(paging_bytes(1024 * GIB + 1), 4096 * (1 + 3 + 3 + 1025));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_range),
        cmocka_unit_test(page_tables_map_everything),
        cmocka_unit_test(our_range_is_reserved_in_uefi_map),
        cmocka_unit_test(boot_services_stay),
        cmocka_unit_test(tables_grow_with_the_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
