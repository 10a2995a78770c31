/* boot/guest/disk.c: which modules are a disk's boot sector. boot/memory/e820.c: the map as the BIOS would report it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/guest/disk.h"
#include "boot/memory/e820.h"

static uint8_t sector[DISK_SECTOR_SIZE];

static void sector_make(void)
{
    memset(sector, 0, sizeof sector);
    sector[510] = 0x55;
    sector[511] = 0xaa;
}

static void drives(void **state)
{
    static const struct {
        const char *name;
        uint8_t drive;
    } good[] = {{"", 0x80}, {"hd0", 0x80}, {"hd1", 0x81}, {"hd12", 0x8c}, {"hd127", 0xff}, {"hd007", 0x87}};
    static const char *const bad[] = {"hd", "hd128", "hd99999999999", "hd0x80", "hd0 ", "hd-1", "fd0", "cd", "(hd0)"};

    (void)state;
    sector_make();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint8_t drive = 0;

        assert_int_equal(disk_check(&drive, good[i].name, sector, sizeof sector), DISK_OK);
        assert_int_equal(drive, good[i].drive);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t drive;

        assert_int_equal(disk_check(&drive, bad[i], sector, sizeof sector), DISK_NO_DRIVE_NAME);
    }
}

static void sectors(void **state)
{
    uint8_t drive;

    (void)state;
    sector_make();
    assert_int_equal(disk_check(&drive, "hd0", sector, 511), DISK_NOT_A_SECTOR);
    assert_int_equal(disk_check(&drive, "hd0", sector, 0), DISK_NOT_A_SECTOR);
    assert_int_equal(disk_check(&drive, "hd0", sector, 1024), DISK_NOT_A_SECTOR);
    sector[511] = 0x55;
    assert_int_equal(disk_check(&drive, "hd0", sector, sizeof sector), DISK_NO_SIGNATURE);
    sector[510] = 0xaa;
    assert_int_equal(disk_check(&drive, "hd0", sector, sizeof sector), DISK_NO_SIGNATURE);
    assert_true(strlen(disk_error_text(DISK_NO_SIGNATURE)) > 0);
}

static void entries(void **state)
{
    struct memory_map map = {0};
    uint8_t out[2 * E820_ENTRY_SIZE + 1];

    (void)state;
    memory_map_add(&map, (struct range){0, 0x9fc00}, MEMORY_USABLE);
    memory_map_add(&map, (struct range){0x100000, 0x123456000}, MEMORY_USABLE);
    memory_map_add(&map, (struct range){0x200000000, 0x200001000}, MEMORY_NVS);
    memset(out, 0xee, sizeof out);
    e820_build(out, &map, 1, 3);
    assert_int_equal(read64(out), 0x100000);
    assert_int_equal(read64(out + 8), 0x123456000 - 0x100000);
    assert_int_equal(read32(out + 16), 1);
    assert_int_equal(read64(out + 20), 0x200000000);
    assert_int_equal(read64(out + 28), 0x1000);
    assert_int_equal(read32(out + 36), 4);
    assert_int_equal(out[40], 0xee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drives), cmocka_unit_test(sectors), cmocka_unit_test(entries)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
