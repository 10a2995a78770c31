/* ACPI: facts are read from valid tables; tables with an invalid size or address are ignored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/acpi/acpi.h"

/* Physical memory of 1 MiB, on the heap so that the sanitizer detects accesses beyond its end. */
#define MEMORY_SIZE 0x100000u
static uint8_t *physical;

static const uint8_t *map(void *context, uint64_t pa, uint64_t size)
{
    (void)context;
    return pa < MEMORY_SIZE && size <= MEMORY_SIZE - pa ? physical + pa : NULL;
}

static const struct acpi_memory memory = {map, NULL};
static uint8_t rsdp[36];

static void seal(uint32_t pa, const char *signature, uint32_t size)
{
    uint8_t sum = 0;
    memcpy(physical + pa, signature, 4);
    put32(physical + pa + 4, size);
    physical[pa + 9] = 0;
    for (uint32_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + physical[pa + i]);
    physical[pa + 9] = (uint8_t)-sum;
}

static void put_gas(uint32_t pa, uint8_t space, uint64_t address)
{
    physical[pa] = space;
    put64(physical + pa + 4, address);
}

enum { XSDT = 0x1000, RSDT = 0x2000, FADT = 0x3000, MCFG = 0x4000, MADT = 0x5000, DSDT = 0x6000 };

static int setup(void **state)
{
    (void)state;
    physical = calloc(1, MEMORY_SIZE);
    assert_non_null(physical);
    memset(rsdp, 0, sizeof rsdp);
    memcpy(rsdp, "RSD PTR ", 8);
    rsdp[15] = 2;
    put32(rsdp + 16, RSDT);
    put64(rsdp + 24, XSDT);
    put32(physical + FADT + 64, 0xb004);
    put32(physical + FADT + 112, 1 << 10);
    put_gas(FADT + 116, 1, 0xcf9);
    physical[FADT + 128] = 6;
    seal(FADT, "FACP", 132);
    put64(physical + MCFG + 44, 0xe0000000);
    physical[MCFG + 54] = 0;
    physical[MCFG + 55] = 0x3f;
    seal(MCFG, "MCFG", 60);
    static const uint8_t apics[] = {0, 8, 0, 0, 1, 0, 0, 0, 0, 8, 1, 1, 0, 0, 0, 0, 1, 12,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 2, 1, 0, 0, 0};
    memcpy(physical + MADT + 44, apics, sizeof apics);
    seal(MADT, "APIC", 44 + sizeof apics);
    put64(physical + XSDT + 36, FADT);
    put64(physical + XSDT + 44, MCFG);
    put64(physical + XSDT + 52, MADT);
    seal(XSDT, "XSDT", 60);
    put32(physical + RSDT + 36, FADT);
    seal(RSDT, "RSDT", 40);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(physical);
    return 0;
}

static struct acpi_facts read_all(size_t rsdp_size)
{
    struct acpi_facts facts;
    acpi_read(&facts, &memory, rsdp, rsdp_size);
    return facts;
}

static void good_tables(void **state)
{
    struct acpi_facts facts = read_all(36);
    (void)state;
    assert_int_equal(facts.pm1a_cnt, 0xb004);
    assert_int_equal(facts.pm1b_cnt, 0);
    assert_int_equal(facts.reset_port, 0xcf9);
    assert_int_equal(facts.reset_value, 6);
    assert_int_equal(facts.cpus.nr, 2); /* without the one that is not enabled */
    assert_int_equal(pci_ecam_page(&facts.ecams, 0x0018), 0xe0018000);
    assert_int_equal(pci_ecam_page(&facts.ecams, 0x3fff), 0xe3fff000);
    assert_int_equal(pci_ecam_page(&facts.ecams, 0x4000), 0); /* after the last bus */

    facts = read_all(20); /* ACPI 1.0: the RSDT, which names the FADT only */
    assert_int_equal(facts.pm1a_cnt, 0xb004);
    assert_int_equal(facts.cpus.nr, 0);
    assert_int_equal(pci_ecam_page(&facts.ecams, 0x0018), 0);
}

/* A second segment above 4 GiB, as on servers with several I/O dies; and invalid entries. */
static void several_segments(void **state)
{
    (void)state;
    memset(physical + MCFG + 60, 0, 4 * 16);
    put64(physical + MCFG + 60, 0x3c000000000);
    physical[MCFG + 68] = 1;
    physical[MCFG + 70] = 0x20;
    physical[MCFG + 71] = 0x2f;
    put64(physical + MCFG + 76, 0xf0001000); /* not aligned to a bus */
    physical[MCFG + 84] = 2;
    put64(physical + MCFG + 92, 0xf0000000);
    physical[MCFG + 100] = 3;
    physical[MCFG + 102] = 2; /* its last bus is before its first */
    physical[MCFG + 103] = 1;
    physical[MCFG + 116] = 4; /* at 0 */
    seal(MCFG, "MCFG", 124);
    const struct acpi_facts facts = read_all(36);
    const struct pci_ecams *e = &facts.ecams;
    assert_int_equal(e->nr, 2);
    assert_int_equal(pci_ecam_page(e, 0x0018), 0xe0018000);
    assert_int_equal(pci_ecam_page(e, 0x12018), 0x3c002018000);
    assert_int_equal(pci_ecam_page(e, 0x12fff), 0x3c002fff000);
    assert_int_equal(pci_ecam_page(e, 0x13000), 0);
    assert_int_equal(pci_ecam_page(e, 0x11fff), 0);
    assert_int_equal(pci_ecam_page(e, 0x20000), 0);
    /* Segment 0 is accessed by I/O ports. */
    assert_int_equal(pci_ecam_next(e, 0x10000), 0x12000);
    assert_int_equal(pci_ecam_next(e, 0x1abcd - 0x9000), 0x12000);
    assert_int_equal(pci_ecam_next(e, 0x12345), 0x12345);
    assert_int_equal(pci_ecam_next(e, 0x12fff), 0x12fff);
    assert_int_equal(pci_ecam_next(e, 0x13000), PCI_SBDF_NONE);
    assert_int_equal(pci_ecam_next(e, 0), 0x12000);
}

/* Two fields of the FADT can name the DSDT. */
static void sleep_types_in_the_dsdt(void **state)
{
    static const uint8_t name[] = {0x08, '_', 'S', '3', '_', 0x12, 0x08, 0x04, 0x0a, 0x05, 0, 0, 0};
    (void)state;
    memcpy(physical + DSDT + 36, name, sizeof name);
    seal(DSDT, "DSDT", 36 + sizeof name);
    assert_int_equal(read_all(36).sleep_types, 0);
    put32(physical + FADT + 40, DSDT);
    seal(FADT, "FACP", 132);
    assert_int_equal(read_all(36).sleep_types, 1 << 5);
    assert_int_equal(read_all(20).sleep_types, 1 << 5);
    put32(physical + FADT + 40, 0);
    put64(physical + FADT + 140, DSDT);
    seal(FADT, "FACP", 148);
    assert_int_equal(read_all(36).sleep_types, 1 << 5);
    physical[DSDT + 40] ^= 1; /* a wrong checksum: the table is ignored */
    assert_int_equal(read_all(36).sleep_types, 0);
    seal(DSDT, "SSDT", 36 + sizeof name);
    put64(physical + XSDT + 44, DSDT);
    physical[DSDT + 40] ^= 1;
    seal(DSDT, "SSDT", 36 + sizeof name);
    seal(XSDT, "XSDT", 60);
    assert_int_equal(read_all(36).sleep_types, 1 << 5);
}

static void extended_fields_take_precedence(void **state)
{
    (void)state;
    put_gas(FADT + 172, 1, 0x1804);
    put_gas(FADT + 184, 0, 0xfed00000); /* not a port */
    put_gas(FADT + 116, 0, 0xfed00000);
    seal(FADT, "FACP", 244);
    struct acpi_facts facts = read_all(36);
    assert_int_equal(facts.pm1a_cnt, 0x1804);
    assert_int_equal(facts.pm1b_cnt, 0);
    assert_int_equal(facts.reset_port, 0);
    assert_true(facts.reset_elsewhere);
    assert_int_equal(facts.sleep_control, 0);
    put_gas(FADT + 244, 1, 0x600);
    seal(FADT, "FACP", 268);
    assert_int_equal(read_all(36).sleep_control, 0x600);
    assert_false(read_all(36).sleep_elsewhere);
    put_gas(FADT + 244, 0, 0xfed00600); /* in memory */
    seal(FADT, "FACP", 268);
    assert_int_equal(read_all(36).sleep_control, 0);
    assert_true(read_all(36).sleep_elsewhere);
    put_gas(FADT + 116, 1, 0x10cf9); /* not an I/O port address */
    put32(physical + FADT + 112, 0);
    seal(FADT, "FACP", 132);
    assert_int_equal(read_all(36).reset_port, 0);
}

static void broken_tables(void **state)
{
    (void)state;
    for (uint32_t size = 36; size < 68; size++) { /* short FADTs */
        seal(FADT, "FACP", size);
        assert_int_equal(read_all(36).pm1a_cnt, 0);
        assert_int_equal(read_all(36).reset_port, 0);
    }
    static const uint32_t sizes[] = {0, 1, 35, 0x100001, 0xffffffff};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        put32(physical + MADT + 4, sizes[i]);
        assert_int_equal(read_all(36).cpus.nr, 0);
        put32(physical + XSDT + 4, sizes[i]);
        assert_int_equal(read_all(36).ecams.nr, 0);
        seal(XSDT, "XSDT", 60);
    }
    seal(XSDT, "RSDT", 60); /* not an XSDT: fall back to the RSDT */
    assert_int_equal(read_all(36).pm1a_cnt, 0);
    assert_int_equal(read_all(19).pm1a_cnt, 0);
    put64(rsdp + 24, 0xfffffffffffffff0);
    put32(rsdp + 16, 0xfffffff0);
    assert_int_equal(read_all(36).cpus.nr, 0);
}

/* ACPICA, and so Linux, only warns of a wrong checksum: what it uses must not escape us. */
static void wrong_checksums(void **state)
{
    (void)state;
    static const uint32_t tables[] = {XSDT, RSDT, FADT, MCFG, MADT};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        physical[tables[i] + 9]++;
    struct acpi_facts facts = read_all(36);
    assert_int_equal(facts.pm1a_cnt, 0xb004);
    assert_int_equal(facts.cpus.nr, 2);
    assert_int_equal(pci_ecam_page(&facts.ecams, 0x0018), 0xe0018000);
    assert_int_equal(facts.nr_unread, 0);
    assert_int_equal(read_all(20).pm1a_cnt, 0xb004);

    put64(physical + XSDT + 36, 0x100000000); /* above what is mapped */
    put64(physical + XSDT + 44, 0);
    put32(physical + MADT + 4, 35);
    facts = read_all(36);
    assert_int_equal(facts.nr_unread, 2);
    assert_int_equal(facts.cpus.nr, 0);
}

static void tables_at_the_end_of_memory(void **state)
{
    (void)state;
    for (uint32_t back = 1; back < 60; back++) {
        put64(physical + XSDT + 44, MEMORY_SIZE - back);
        seal(XSDT, "XSDT", 60);
        assert_int_equal(read_all(36).ecams.nr, 0);
    }
    /* The list ends in the middle of an entry. */
    for (uint32_t size = 36; size < 60; size++) {
        seal(XSDT, "XSDT", size);
        assert_int_equal(read_all(36).cpus.nr, 0);
    }
}

static void short_mcfg(void **state)
{
    (void)state;
    for (uint32_t size = 36; size < 60; size++) {
        seal(MCFG, "MCFG", size);
        assert_int_equal(read_all(36).ecams.nr, 0);
    }
}

/* The first MADT that lists a CPU counts. */
static void two_madts(void **state)
{
    enum { EMPTY = 0x6000 };
    (void)state;
    seal(EMPTY, "APIC", 44);
    put64(physical + XSDT + 44, EMPTY);
    seal(XSDT, "XSDT", 60);
    assert_int_equal(read_all(36).cpus.nr, 2);
    put64(physical + XSDT + 44, MADT);
    seal(XSDT, "XSDT", 60);
    assert_int_equal(read_all(36).cpus.nr, 2);
}

static void rsdp_is_located(void **state)
{
    static const uint8_t guid[16] = {0x71, 0xe8, 0x68, 0x88, 0xf1, 0xe4, 0xd3, 0x11,
                                     0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81};
    (void)state;
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 36, 0), 0);
    memcpy(physical + 0xffff0 - 16, rsdp, 20);
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 20, 0), 0xfffe0);
    put16(physical + 0x40e, 0x9fc0);
    memcpy(physical + 0x9fc00 + 1024 - 32, rsdp, 20);
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 20, 0), 0x9ffe0);
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 19, 0), 0);

    enum { SYSTEM_TABLE = 0x8000, CONFIGURATION = 0x9000, RSDP = 0x9804 };
    put64(physical + SYSTEM_TABLE + 104, 2);
    put64(physical + SYSTEM_TABLE + 112, CONFIGURATION);
    memcpy(physical + CONFIGURATION + 24, guid, 16);
    put64(physical + CONFIGURATION + 40, RSDP);
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 36, SYSTEM_TABLE), 0); /* other bytes than in memory */
    memcpy(physical + RSDP, rsdp, 36);
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 36, SYSTEM_TABLE), RSDP);
    put64(physical + SYSTEM_TABLE + 104, UINT64_MAX);
    put64(physical + SYSTEM_TABLE + 112, MEMORY_SIZE - 25); /* the second entry is beyond the end of memory */
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 36, SYSTEM_TABLE), 0);
    assert_int_equal(acpi_rsdp_locate(&memory, rsdp, 36, MEMORY_SIZE - 119), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(good_tables),      TEST(extended_fields_take_precedence),
        TEST(broken_tables),    TEST(tables_at_the_end_of_memory),
        TEST(several_segments), TEST(sleep_types_in_the_dsdt),
        TEST(short_mcfg),       TEST(two_madts),
        TEST(rsdp_is_located),  TEST(wrong_checksums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
