/* The Linux boot protocol: invalid files are refused with a reason, load addresses never overlap, and boot_params has
 * the values at the offsets of Linux's zero-page.rst. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/guest/linux.h"

#define MIB 0x100000ull
#define CODE_SIZE 0x800u
#define FILE_SIZE (512u * 2 + CODE_SIZE)

static uint8_t file[FILE_SIZE];

/* A minimal bzImage. */
static void make_kernel(void)
{
    memset(file, 0, sizeof file);
    file[0x1f1] = 1;
    put32(file + 0x1f4, CODE_SIZE / 16);
    put16(file + 0x1fe, 0xaa55);
    file[0x200] = 0xeb;
    file[0x201] = 0x66;
    memcpy(file + 0x202, "HdrS", 4);
    put16(file + 0x206, 0x20f);
    put16(file + 0x20e, 0x100);
    file[0x211] = 1;
    put32(file + 0x22c, 0x7fffffff);
    put32(file + 0x230, 0x200000);
    file[0x234] = 1;
    put32(file + 0x238, 2047);
    put64(file + 0x258, 16 * MIB);
    put32(file + 0x260, 8 * MIB);
    strcpy((char *)file + 0x300, "6.1.0-test #1");
}

static enum linux_error check(struct linux_kernel *kernel, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, file, size);
    enum linux_error error = linux_check(kernel, exact, size);
    free(exact);
    return error;
}

static void a_good_kernel(void **state)
{
    struct linux_kernel kernel;
    (void)state;
    make_kernel();
    assert_int_equal(linux_check(&kernel, file, sizeof file), LINUX_OK);
    assert_int_equal(kernel.code_offset, 1024);
    assert_int_equal(kernel.code_size, CODE_SIZE);
    assert_int_equal(kernel.init_size, 8 * MIB);
    assert_int_equal(kernel.line_max, 2047);
    assert_true(kernel.relocatable);
    assert_string_equal(kernel.version, "6.1.0-test #1");
    file[0x1f1] = 0; /* means 4 */
    put32(file + 0x1f4, 0x10);
    assert_int_equal(linux_check(&kernel, file, sizeof file), LINUX_OK);
    assert_int_equal(kernel.code_offset, 5 * 512);
}

static void bad_files(void **state)
{
    struct linux_kernel kernel;
    (void)state;
    make_kernel();
    for (size_t size = 0; size < 0x264; size++)
        assert_int_equal(check(&kernel, size), LINUX_TOO_SHORT);
    for (size_t size = 0x264; size < FILE_SIZE - 15; size++)
        assert_int_equal(check(&kernel, size), LINUX_TRUNCATED);
    assert_int_equal(check(&kernel, FILE_SIZE - 15), LINUX_OK); /* syssize is rounded up */
    assert_int_equal(kernel.code_size, CODE_SIZE - 15);

    static const struct {
        uint32_t offset, size;
        uint64_t value;
        enum linux_error error;
    } cases[] = {
        {0x1fe, 2, 0x55aa, LINUX_NO_BOOT_FLAG},
        {0x202, 1, 'h', LINUX_NO_HDRS},
        {0x206, 2, 0x209, LINUX_TOO_OLD},
        {0x211, 1, 0xfe, LINUX_NOT_HIGH},
        {0x1f4, 4, 0, LINUX_TRUNCATED},
        {0x1f4, 4, 0xffffffff, LINUX_TRUNCATED},
        {0x230, 4, 0, LINUX_BAD_HEADER},
        {0x230, 4, 0x300000, LINUX_BAD_HEADER},
        {0x260, 4, CODE_SIZE - 1, LINUX_BAD_HEADER},
        {0x258, 8, 1ull << 32, LINUX_BAD_HEADER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_kernel();
        memcpy(file + cases[i].offset, &cases[i].value, cases[i].size);
        if (check(&kernel, FILE_SIZE) != cases[i].error)
            fail_msg("case %zu", i);
    }
}

/* The offset kernel_version may be invalid. */
static void bad_version(void **state)
{
    struct linux_kernel kernel;
    (void)state;
    static const uint16_t offsets[] = {0, 0x200, 0xffff};
    for (size_t i = 0; i < 3; i++) {
        make_kernel();
        put16(file + 0x20e, offsets[i]);
        assert_int_equal(check(&kernel, FILE_SIZE), LINUX_OK);
        assert_string_equal(kernel.version, "");
    }
    make_kernel();
    memset(file + 0x300, 'x', 0x400 - 0x300); /* not terminated within the setup code */
    assert_int_equal(linux_check(&kernel, file, FILE_SIZE), LINUX_OK);
    assert_string_equal(kernel.version, "");
}

static struct memory_map pc_map(uint64_t end)
{
    struct memory_map map = {.nr = 0};
    memory_map_add(&map, (struct range){0, 0x9fc00}, MEMORY_USABLE);
    memory_map_add(&map, (struct range){0xf0000, MIB}, MEMORY_RESERVED);
    memory_map_add(&map, (struct range){MIB, end}, MEMORY_USABLE);
    return map;
}

static bool disjoint(const struct range *ranges, unsigned nr)
{
    for (unsigned i = 0; i < nr; i++) {
        for (unsigned j = i + 1; j < nr; j++) {
            if (range_overlaps(ranges[i], ranges[j]))
                return false;
        }
    }
    return true;
}

static void kernel_at_its_preferred_address(void **state)
{
    struct memory_map map = pc_map(512 * MIB);
    struct linux_kernel kernel;
    struct linux_place place;
    struct linux_sources sources = {{2 * MIB, 10 * MIB}, {100 * MIB, 102 * MIB}, {500 * MIB, 510 * MIB}, 0, 0};
    (void)state;
    make_kernel();
    assert_int_equal(linux_check(&kernel, file, FILE_SIZE), LINUX_OK);
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_int_equal(place.kernel.start, 16 * MIB);
    assert_int_equal(place.initrd, 100 * MIB); /* it can stay there */
    assert_true(place.boot_area + LINUX_BOOT_AREA_SIZE <= 0x9fc00);

    sources.initrd = (struct range){17 * MIB, 19 * MIB}; /* overlaps the kernel */
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_int_equal(place.initrd, 510 * MIB);
    sources.initrd = (struct range){100 * MIB + 1, 102 * MIB}; /* not page-aligned */
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_int_equal(place.initrd, 510 * MIB);
    kernel.initrd_addr_max = 64 * MIB - 1;
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_true(place.initrd + 2 * MIB <= 64 * MIB);
}

static void relocated_kernel(void **state)
{
    struct memory_map map = pc_map(512 * MIB);
    struct linux_kernel kernel;
    struct linux_place place;
    struct linux_sources sources = {{2 * MIB, 10 * MIB}, {0, 0}, {20 * MIB, 500 * MIB}, 0, 0};
    (void)state;
    make_kernel();
    assert_int_equal(linux_check(&kernel, file, FILE_SIZE), LINUX_OK);
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_int_equal(place.kernel.start, 504 * MIB);
    assert_int_equal(place.initrd, 0);
    kernel.relocatable = false;
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_NO_PLACE_KERNEL);
}

static void too_little_memory(void **state)
{
    struct linux_kernel kernel;
    struct linux_place place;
    struct linux_sources sources = {{2 * MIB, 10 * MIB}, {11 * MIB, 14 * MIB}, {0, 0}, 0, 0};
    (void)state;
    make_kernel();
    assert_int_equal(linux_check(&kernel, file, FILE_SIZE), LINUX_OK);
    struct memory_map map = pc_map(8 * MIB);
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_NO_PLACE_KERNEL);
    map = pc_map(24 * MIB);
    sources.initrd = (struct range){15 * MIB, 18 * MIB};
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_int_equal(place.initrd, 13 * MIB);
    sources.initrd.end = 23 * MIB;
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_NO_PLACE_INITRD);
    map.ranges[0].range.end = 0x2000; /* no conventional memory: the boot area is placed above */
    sources.initrd = (struct range){0, 0};
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_int_equal(place.boot_area, 16 * MIB - LINUX_BOOT_AREA_SIZE);
}

static uint64_t random_below(unsigned limit)
{
    return (unsigned)rand() % limit;
}

/* For random addresses of the files: load addresses are disjoint, and copying in order overwrites no source too early.
 */
static void random_places(void **state)
{
    (void)state;
    make_kernel();
    srand(2);
    for (int round = 0; round < 5000; round++) {
        struct memory_map map = pc_map((30 + random_below(40)) * MIB);
        struct linux_kernel kernel;
        struct linux_place place;
        assert_int_equal(linux_check(&kernel, file, FILE_SIZE), LINUX_OK);
        uint64_t k = random_below(40) * MIB / 2, i = random_below(80) * MIB / 2;
        uint64_t o = (1 + random_below(60)) * MIB;
        struct linux_sources sources = {{k, k + 5 * MIB}, {i, i + random_below(6) * MIB}, {o, o + 2 * MIB}, 0x2000, 0};
        if (linux_place(&place, &kernel, &map, &sources))
            continue;
        uint64_t initrd_size = sources.initrd.end - sources.initrd.start;
        struct range all[] = {place.kernel,
                              {place.initrd, place.initrd + initrd_size},
                              {place.boot_area, place.boot_area + LINUX_BOOT_AREA_SIZE + 0x2000},
                              sources.ours};
        assert_true(disjoint(all, 4));
        /* The initrd is copied first: unless it stays, it must not overlap the kernel's file. */
        if (initrd_size > 0 && place.initrd != sources.initrd.start)
            assert_false(range_overlaps(all[1], sources.kernel));
    }
}

/* Where the parts of the guest are in the tests of boot_params. */
static const struct linux_place place_of_parts = {{16 * MIB, 24 * MIB}, 100 * MIB, 0x90000};

/* boot_params of the minimal kernel, on top of memory that is not zero. */
static void build_params(uint8_t *params, struct linux_kernel *kernel, const struct linux_facts *facts)
{
    make_kernel();
    assert_int_equal(linux_check(kernel, file, FILE_SIZE), LINUX_OK);
    memset(params, 0xff, LINUX_PARAMS_SIZE);
    linux_params_build(params, kernel, &place_of_parts, facts);
}

static void boot_params(void **state)
{
    static uint8_t params[LINUX_PARAMS_SIZE];
    struct memory_map map = pc_map(512 * MIB);
    struct boot_framebuffer fb = {.pa = 0x4fd000000,
                                  .pitch = 5120,
                                  .width = 1280,
                                  .height = 800,
                                  .bpp = 32,
                                  .type = BOOT_FRAMEBUFFER_RGB,
                                  .red_pos = 16,
                                  .red_size = 8,
                                  .green_pos = 8,
                                  .green_size = 8,
                                  .blue_pos = 0,
                                  .blue_size = 8};
    struct linux_kernel kernel;
    struct linux_facts facts = {.map = &map, .framebuffer = &fb, .efi = true, .rsdp_pa = 0xf59d0, .initrd_size = 1234};
    (void)state;
    build_params(params, &kernel, &facts);
    assert_int_equal(read32(params + 0x202), 0x53726448);
    assert_int_equal(params[0x1ef], 0); /* sentinel */
    assert_int_equal(params[0x210], 0xff);
    assert_int_equal(params[0x211], 0x41);
    assert_int_equal(read32(params + 0x214), 16 * MIB);
    assert_int_equal(read32(params + 0x218), 100 * MIB);
    assert_int_equal(read32(params + 0x21c), 1234);
    assert_int_equal(read32(params + 0x228), 0x91000);
    assert_int_equal(read64(params + 0x70), 0xf59d0);
    assert_int_equal(params[0x1e8], 3);
    assert_int_equal(read64(params + 0x2d0 + 40), MIB);
    assert_int_equal(read64(params + 0x2d0 + 48), 511 * MIB);
    assert_int_equal(read32(params + 0x2d0 + 56), MEMORY_USABLE);
    assert_int_equal(params[0x0f], 0x70);
    assert_int_equal(read32(params + 0x18), 0xfd000000);
    assert_int_equal(read32(params + 0x3a), 4);
    assert_int_equal(read32(params + 0x1c), 5120 * 800);
    assert_int_equal(read16(params + 0x24), 5120);
    assert_int_equal(params[0x27], 16);
    assert_int_equal(params[0x2c], 8); /* the reserved bits above the colours */
    assert_int_equal(params[0x2d], 24);

    facts.efi = false;
    linux_params_build(params, &kernel, &place_of_parts, &facts);
    assert_int_equal(params[0x0f], 0x23);
    assert_int_equal(read32(params + 0x1c), 63); /* in units of 64 KiB */
    fb = (struct boot_framebuffer){.pa = 0xb8000, .width = 80, .height = 25, .type = BOOT_FRAMEBUFFER_TEXT};
    linux_params_build(params, &kernel, &place_of_parts, &facts);
    assert_int_equal(params[0x0f], 1);
    assert_int_equal(params[0x07], 80);
    assert_int_equal(params[0x0e], 25);
    fb.pa = 0;
    linux_params_build(params, &kernel, &place_of_parts, &facts);
    assert_int_equal(params[0x0f], 0);
}

/* boot_params has room for 128 entries; the others go into setup_data (boot.rst). */
static void a_long_map(void **state)
{
    static uint8_t area[LINUX_BOOT_AREA_SIZE + 0x30 + LINUX_E820_REST_MAX];
    struct memory_map map = pc_map(64 * MIB);
    struct boot_framebuffer fb = {.pa = 0};
    struct linux_kernel kernel;
    struct linux_place place;
    struct linux_sources sources = {{2 * MIB, 10 * MIB}, {0, 0}, {500 * MIB, 510 * MIB}, 0x30, LINUX_E820_REST_MAX};
    (void)state;
    make_kernel();
    assert_int_equal(linux_check(&kernel, file, FILE_SIZE), LINUX_OK);
    for (uint64_t at = 64 * MIB; map.nr < MEMORY_MAP_MAX; at += MIB) {
        assert_int_equal(linux_e820_rest_bytes(&map), map.nr <= 128 ? 0 : 16 + 20 * (map.nr - 128));
        assert_true(memory_map_add(&map, (struct range){at, at + MIB}, map.nr % 2 ? MEMORY_BAD : MEMORY_USABLE));
    }
    assert_int_equal(linux_e820_rest_bytes(&map), LINUX_E820_REST_MAX);
    assert_int_equal(linux_place(&place, &kernel, &map, &sources), LINUX_OK);
    assert_true(place.boot_area + sizeof area <= 0x9fc00);
    struct linux_facts facts = {.map = &map, .framebuffer = &fb, .e820_rest = LINUX_BOOT_AREA_SIZE + 0x30};
    linux_e820_rest_build(area + facts.e820_rest, &map);
    linux_params_build(area, &kernel, &place, &facts);
    const uint8_t *rest = area + facts.e820_rest, *entry = area + 0x2d0;
    assert_int_equal(area[0x1e8], 128);
    assert_int_equal(read64(area + 0x250), place.boot_area + facts.e820_rest);
    assert_int_equal(read64(rest), 0);
    assert_int_equal(read32(rest + 8), 1);
    assert_int_equal(read32(rest + 12), 20 * (MEMORY_MAP_MAX - 128));
    for (unsigned i = 0; i < MEMORY_MAP_MAX; i++, entry += 20) {
        if (i == 128)
            entry = rest + 16;
        assert_int_equal(read64(entry), map.ranges[i].range.start);
        assert_int_equal(read64(entry + 8), map.ranges[i].range.end - map.ranges[i].range.start);
        assert_int_equal(read32(entry + 16), map.ranges[i].type);
    }
    /* Without further entries there is no setup_data. */
    map.nr = 128;
    linux_params_build(area, &kernel, &place, &facts);
    assert_int_equal(area[0x1e8], 128);
    assert_int_equal(read64(area + 0x250), 0);
}

static void uefi_in_boot_params(void **state)
{
    static uint8_t params[LINUX_PARAMS_SIZE];
    struct memory_map map = pc_map(512 * MIB);
    struct boot_framebuffer fb = {.pa = 0};
    struct linux_kernel kernel;
    struct linux_facts facts = {.map = &map, .framebuffer = &fb, .efi = true, .rsdp_pa = 0xf59d0, .initrd_size = 1234};
    (void)state;
    build_params(params, &kernel, &facts);
    assert_int_equal(read32(params + 0x1c0), 0);

    facts.efi_system_table = 0x51f000000;
    facts.efi_map_size = 0x960;
    facts.efi_descriptor_size = 48;
    facts.efi_descriptor_version = 1;
    linux_params_build(params, &kernel, &place_of_parts, &facts);
    assert_memory_equal(params + 0x1c0, "EL64", 4);
    assert_int_equal(read32(params + 0x1c4), 0x1f000000);
    assert_int_equal(read32(params + 0x1d8), 5);
    assert_int_equal(read32(params + 0x1c8), 48);
    assert_int_equal(read32(params + 0x1cc), 1);
    assert_int_equal(read32(params + 0x1d0), 0x90000 + LINUX_BOOT_AREA_SIZE);
    assert_int_equal(read32(params + 0x1d4), 0x960);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_kernel),    cmocka_unit_test(bad_files),
        cmocka_unit_test(bad_version),      cmocka_unit_test(kernel_at_its_preferred_address),
        cmocka_unit_test(relocated_kernel), cmocka_unit_test(too_little_memory),
        cmocka_unit_test(random_places),    cmocka_unit_test(boot_params),
        cmocka_unit_test(a_long_map),       cmocka_unit_test(uefi_in_boot_params),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
