/* The MADT's processors: each enabled one once, the boot CPU first, and none from invalid entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/acpi/madt.h"

#define HEADER 44u
#define ENABLED 1u
#define ONLINE_CAPABLE 2u

/* Parse a copy on the heap, so that the sanitizer detects reads beyond its end. */
struct table {
    uint8_t *bytes;
    uint32_t size;
};

static uint8_t *grow(struct table *table, uint32_t bytes)
{
    uint32_t at = table->size ? table->size : HEADER;
    table->size = at + bytes;
    table->bytes = realloc(table->bytes, table->size);
    assert_non_null(table->bytes);
    memset(table->bytes + at, 0, bytes);
    return table->bytes + at;
}

static void add_apic(struct table *table, uint8_t apic_id, uint32_t flags)
{
    uint8_t *entry = grow(table, 8);
    entry[0] = 0;
    entry[1] = 8;
    entry[2] = 77; /* the ACPI processor id does not matter */
    entry[3] = apic_id;
    put32(entry + 4, flags);
}

static void add_x2apic(struct table *table, uint32_t apic_id, uint32_t flags)
{
    uint8_t *entry = grow(table, 16);
    entry[0] = 9;
    entry[1] = 16;
    put32(entry + 4, apic_id);
    put32(entry + 8, flags);
    put32(entry + 12, 77);
}

static void add_other(struct table *table, uint8_t type, uint8_t length)
{
    uint8_t *entry = grow(table, length < 2 ? 2 : length);
    entry[0] = type;
    entry[1] = length;
}

static struct madt_cpus read_and_free(struct table *table)
{
    struct madt_cpus cpus = {0};
    madt_read(&cpus, table->bytes, table->size);
    free(table->bytes);
    *table = (struct table){0};
    return cpus;
}

static void apic_and_x2apic_entries(void **state)
{
    struct table table = {0};
    (void)state;
    add_apic(&table, 0, ENABLED);
    add_apic(&table, 2, 0);
    add_apic(&table, 4, ONLINE_CAPABLE);
    add_apic(&table, 0xff, ENABLED);
    add_other(&table, 1, 12); /* I/O APIC */
    add_apic(&table, 6, ENABLED | ONLINE_CAPABLE);
    add_x2apic(&table, 6, ENABLED); /* a duplicate */
    add_x2apic(&table, 0x100, ENABLED);
    add_x2apic(&table, 0x102, ONLINE_CAPABLE);
    add_x2apic(&table, 0xffffffff, ENABLED);
    struct madt_cpus cpus = read_and_free(&table);
    static const uint32_t expected[] = {0, 6, 0x100};
    assert_int_equal(cpus.nr, 3);
    assert_false(cpus.incomplete);
    assert_memory_equal(cpus.apic_ids, expected, sizeof expected);
}

static void invalid_entries(void **state)
{
    static const uint8_t lengths[] = {0, 1, 11, 255};
    struct table table = {0};
    (void)state;
    for (size_t i = 0; i < sizeof lengths; i++) { /* parsing ends at them */
        add_apic(&table, 3, ENABLED);
        add_other(&table, 1, 10);
        table.bytes[table.size - 9] = lengths[i];
        if (lengths[i] < 11)
            add_apic(&table, 4, ENABLED);
        const struct madt_cpus cpus = read_and_free(&table);
        assert_int_equal(cpus.nr, 1);
        assert_true(cpus.incomplete);
    }
    for (uint8_t length = 2; length < 8; length++) { /* too short for the flags */
        add_other(&table, 0, length);
        const struct madt_cpus cpus = read_and_free(&table);
        assert_true(cpus.nr == 0 && cpus.incomplete);
    }
    for (uint8_t length = 2; length < 16; length++) {
        add_other(&table, 9, length);
        const struct madt_cpus cpus = read_and_free(&table);
        assert_true(cpus.nr == 0 && cpus.incomplete);
    }
    for (uint32_t size = 0; size < HEADER + 8; size++) { /* truncated anywhere */
        struct madt_cpus cpus = {0};
        uint8_t *bytes = calloc(1, size + 1);
        assert_non_null(bytes);
        if (size > HEADER + 1)
            bytes[HEADER + 1] = 8;
        madt_read(&cpus, bytes, size);
        assert_int_equal(cpus.nr, 0);
        free(bytes);
    }
}

static void more_than_supported(void **state)
{
    struct table table = {0};
    (void)state;
    for (uint8_t i = 0; i < 70; i++)
        add_apic(&table, i, ENABLED);
    struct madt_cpus cpus = read_and_free(&table);
    assert_int_equal(cpus.nr, 70);
    assert_int_equal(cpus.apic_ids[BOOT_MAX_CPUS - 1], BOOT_MAX_CPUS - 1);
    madt_put_first(&cpus, 69);
    assert_true(cpus.nr > BOOT_MAX_CPUS);
    assert_int_equal(cpus.apic_ids[0], 69);
    assert_int_equal(cpus.apic_ids[BOOT_MAX_CPUS - 1], BOOT_MAX_CPUS - 2);
}

static void boot_cpu_first(void **state)
{
    struct madt_cpus cpus = {0};
    (void)state;
    madt_put_first(&cpus, 0x108); /* no MADT: one CPU */
    assert_int_equal(cpus.nr, 1);
    assert_int_equal(cpus.apic_ids[0], 0x108);

    cpus = (struct madt_cpus){.nr = 4, .apic_ids = {0, 2, 4, 6}};
    madt_put_first(&cpus, 4);
    static const uint32_t found[] = {4, 0, 2, 6};
    assert_int_equal(cpus.nr, 4);
    assert_memory_equal(cpus.apic_ids, found, sizeof found);
    madt_put_first(&cpus, 4);
    assert_memory_equal(cpus.apic_ids, found, sizeof found);

    madt_put_first(&cpus, 9); /* not in the MADT */
    static const uint32_t added[] = {9, 4, 0, 2, 6};
    assert_int_equal(cpus.nr, 5);
    assert_memory_equal(cpus.apic_ids, added, sizeof added);

    struct madt_cpus full = {.nr = BOOT_MAX_CPUS};
    for (uint32_t i = 0; i < BOOT_MAX_CPUS; i++)
        full.apic_ids[i] = i;
    madt_put_first(&full, BOOT_MAX_CPUS - 1);
    assert_int_equal(full.nr, BOOT_MAX_CPUS);
    assert_int_equal(full.apic_ids[0], BOOT_MAX_CPUS - 1);
    assert_int_equal(full.apic_ids[BOOT_MAX_CPUS - 1], BOOT_MAX_CPUS - 2);
    madt_put_first(&full, 1000);
    assert_int_equal(full.nr, BOOT_MAX_CPUS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apic_and_x2apic_entries),
        cmocka_unit_test(invalid_entries),
        cmocka_unit_test(more_than_supported),
        cmocka_unit_test(boot_cpu_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
