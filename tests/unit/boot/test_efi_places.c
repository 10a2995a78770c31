/* The memory map of firmware that is running: what an operating system may use, and what is free now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/efi/map.h"

#define DESCRIPTOR 48u /* larger than the structure, as firmware has it */
#define MIB (1ull << 20)
#define SPECIFIC_PURPOSE (1ull << 18)

static uint8_t bytes[600 * DESCRIPTOR];
static struct boot_efi_map efi;
static struct memory_map all, places;

static void begin(void)
{
    memset(bytes, 0xa5, sizeof bytes);
    efi = (struct boot_efi_map){.bytes = bytes, .descriptor_size = DESCRIPTOR, .descriptor_version = 1};
}

/* UEFI Specification 2.10, EFI_MEMORY_DESCRIPTOR: Type, PhysicalStart, VirtualStart, NumberOfPages, Attribute. */
static void add(uint32_t type, uint64_t start, uint64_t end, uint64_t attribute)
{
    uint8_t *at = bytes + efi.size;

    put32(at, type);
    put64(at + 8, start);
    put64(at + 24, (end - start) / 4096);
    put64(at + 32, attribute);
    efi.size += DESCRIPTOR;
}

static void check(const struct memory_map *map, uint32_t index, uint64_t start, uint64_t end, uint32_t type)
{
    assert_in_range(index, 0, map->nr - 1);
    assert_int_equal(map->ranges[index].range.start, start);
    assert_int_equal(map->ranges[index].range.end, end);
    assert_int_equal(map->ranges[index].type, type);
}

/* Every type of the specification's table "Memory Type Usage after ExitBootServices()", each followed by a hole. */
static void types(void **state)
{
    static const uint32_t should[16] = {MEMORY_RESERVED, MEMORY_USABLE,   MEMORY_USABLE,   MEMORY_USABLE,
                                        MEMORY_USABLE,   MEMORY_RESERVED, MEMORY_RESERVED, MEMORY_USABLE,
                                        MEMORY_BAD,      MEMORY_ACPI,     MEMORY_NVS,      MEMORY_RESERVED,
                                        MEMORY_RESERVED, MEMORY_RESERVED, MEMORY_RESERVED, MEMORY_RESERVED};
    (void)state;
    begin();
    for (uint32_t type = 0; type < 16; type++)
        add(type, 2 * type * MIB, (2 * type + 1) * MIB, 0);
    assert_true(map_of_efi(&all, &places, &efi));
    assert_int_equal(all.nr, 16);
    for (uint32_t type = 0; type < 16; type++)
        check(&all, type, 2 * type * MIB, (2 * type + 1) * MIB, should[type]);
}

/* What the boot services and loaders have allocated is not free, although an operating system gets it. */
static void only_conventional_memory_is_free(void **state)
{
    (void)state;
    begin();
    add(4, 0, MIB, 0);
    add(7, MIB, 2 * MIB, 0);
    add(1, 2 * MIB, 3 * MIB, 0);
    add(7, 3 * MIB, 4 * MIB, SPECIFIC_PURPOSE);
    add(0, 4 * MIB, 5 * MIB, 0);
    assert_true(map_of_efi(&all, &places, &efi));
    assert_int_equal(all.nr, 2);
    check(&all, 0, 0, 4 * MIB, MEMORY_USABLE);
    assert_int_equal(places.nr, 2);
    check(&places, 0, MIB, 2 * MIB, MEMORY_USABLE);
    check(&places, 1, 4 * MIB, 5 * MIB, MEMORY_RESERVED);
}

static void invalid_maps(void **state)
{
    (void)state;
    begin();
    assert_false(map_of_efi(&all, &places, &efi)); /* empty */
    add(7, 0, MIB, 0);
    efi.descriptor_size = 32;
    assert_false(map_of_efi(&all, &places, &efi));
    efi.descriptor_size = DESCRIPTOR;
    efi.size = DESCRIPTOR - 1;
    assert_false(map_of_efi(&all, &places, &efi));
    begin();
    for (uint32_t i = 0; i < 600; i++)
        add(7, 2 * i * MIB, (2 * i + 1) * MIB, 0);
    assert_false(map_of_efi(&all, &places, &efi)); /* more ranges than there is room for */
    efi.bytes = NULL;
    assert_false(map_of_efi(&all, &places, &efi));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(types), cmocka_unit_test(only_conventional_memory_is_free),
                                       cmocka_unit_test(invalid_maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
