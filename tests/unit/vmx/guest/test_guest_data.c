/* vmx/guest/data.c: accesses to data through each kind of paging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/guest/data.h"

#define PG (1ull << 31)
#define WP (1ull << 16)
#define PSE (1ull << 4)
#define PAE (1ull << 5)
#define SMAP (1ull << 21)
#define LA57 (1ull << 12)
#define LMA (1ull << 10)

#define P 1u
#define RW 2u
#define US 4u
#define ACCESSED 0x20u
#define DIRTY 0x40u
#define PS 0x80u
#define NX (1ull << 63)

#define READ 0u
#define WRITE GUEST_DATA_WRITE
#define USER GUEST_DATA_USER

static _Alignas(4096) uint8_t memory[4 * 4096];

static void *memory_at(void *context, uint64_t gpa)
{
    (void)context;
    return gpa < sizeof(memory) ? memory + gpa : NULL;
}

static uint32_t *entry32(uint32_t table, uint32_t index)
{
    return (uint32_t *)(void *)(memory + table) + index;
}

static uint64_t *entry64(uint32_t table, uint32_t index)
{
    return (uint64_t *)(void *)(memory + table) + index;
}

static struct guest_paging paging;

static bool walk(struct guest_data *data, uint64_t linear, uint32_t access)
{
    return guest_data_walk(data, &paging, linear, access, memory_at, NULL);
}

static void leads_to(uint64_t linear, uint32_t access, uint64_t gpa)
{
    struct guest_data data;
    assert_true(walk(&data, linear, access));
    assert_int_equal(data.gpa, gpa);
}

static void faults(uint64_t linear, uint32_t access, uint32_t error_code)
{
    struct guest_data data;
    assert_false(walk(&data, linear, access));
    assert_int_equal(data.error_code, error_code);
}

/* 1.2 is at 5000H; 2 is large. */
static int narrow(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    *entry32(0x1000, 1) = 0x2000 | P | RW | US;
    *entry32(0x2000, 2) = 0x5000 | P | RW | US;
    *entry32(0x1000, 2) = 0x00c00000 | 3u << 13 | PS | P | RW;
    paging = (struct guest_paging){.cr0 = PG | WP, .cr3 = 0x1018, .cr4 = PSE};
    return 0;
}

#define PAGE_1_2 (1u << 22 | 2u << 12)
#define LARGE_2 (2u << 22)

static void without_paging(void **state)
{
    (void)state;
    paging.cr0 = 0;
    leads_to(0xfffffff0, WRITE, 0xfffffff0);
}

static void pages(void **state)
{
    (void)state;
    leads_to(PAGE_1_2 + 0x345, READ, 0x5345);
    assert_int_equal(*entry32(0x1000, 1), 0x2000 | P | RW | US | ACCESSED);
    assert_int_equal(*entry32(0x2000, 2), 0x5000 | P | RW | US | ACCESSED);
    leads_to(PAGE_1_2, WRITE | USER, 0x5000);
    assert_int_equal(*entry32(0x1000, 1), 0x2000 | P | RW | US | ACCESSED);
    assert_int_equal(*entry32(0x2000, 2), 0x5000 | P | RW | US | ACCESSED | DIRTY);
    faults(PAGE_1_2 + 0x1000, READ, 0);
    faults(PAGE_1_2 + 0x1000, WRITE | USER, WRITE | USER);
    faults(0, READ, 0);
    *entry32(0x1000, 1) = 0x9000000 | P | RW; /* no memory is there */
    faults(PAGE_1_2, READ, 0);
}

static void large_pages(void **state)
{
    (void)state;
    leads_to(LARGE_2 + 0x123456, WRITE, 0x300d23456);
    assert_int_equal(*entry32(0x1000, 2), 0x00c00000 | 3u << 13 | PS | P | RW | ACCESSED | DIRTY);
    faults(LARGE_2, USER, P | USER);
    paging.cr4 = 0; /* a table, then */
    faults(LARGE_2, READ, 0);
}

static void rights(void **state)
{
    (void)state;
    *entry32(0x1000, 1) &= ~RW;
    faults(PAGE_1_2, WRITE, P | WRITE);
    assert_int_equal(*entry32(0x2000, 2), 0x5000 | P | RW | US);
    paging.cr0 &= ~WP;
    leads_to(PAGE_1_2, WRITE, 0x5000);
    faults(PAGE_1_2, WRITE | USER, P | WRITE | USER);
    *entry32(0x2000, 2) &= ~US;
    faults(PAGE_1_2, USER, P | USER);
    leads_to(PAGE_1_2, READ, 0x5000);
    *entry32(0x2000, 2) |= US;
    paging.cr4 |= SMAP;
    faults(PAGE_1_2, READ, P);
    leads_to(PAGE_1_2, USER, 0x5000);
}

/* 3.1.2 is at 5000H, 3.4 is large. */
static int wide(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    *entry64(0x0020, 3) = 0x1000 | P;
    *entry64(0x1000, 1) = 0x2000 | P | RW | US | NX;
    *entry64(0x2000, 2) = 0x100005000 | P | RW | US | NX;
    *entry64(0x1000, 4) = 0x400000 | PS | P | RW;
    paging = (struct guest_paging){.cr0 = PG, .cr3 = 0x38, .cr4 = PAE};
    return 0;
}

static void pae(void **state)
{
    (void)state;
    leads_to(3u << 30 | 1u << 21 | 2u << 12 | 6, WRITE | USER, 0x100005006); /* NX does not affect data accesses */
    assert_int_equal(*entry64(0x0020, 3), 0x1000 | P);
    assert_int_equal(*entry64(0x1000, 1), 0x2000 | P | RW | US | NX | ACCESSED);
    assert_int_equal(*entry64(0x2000, 2), 0x100005000 | P | RW | US | NX | ACCESSED | DIRTY);
    leads_to(3u << 30 | 4u << 21 | 0x12345, READ, 0x412345);
    faults(3u << 30 | 4u << 21, USER, P | USER);
    faults(2u << 30, WRITE, WRITE);
}

/* 4-level paging: 1.0.3.2 is at
 * 5000H, 1.0.4 is a page of 2 MBytes, 1.1 one of 1 GByte for supervisors.  */
static int four_levels(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    *entry64(0x0000, 1) = 0x1000 | P | RW | US;
    *entry64(0x1000, 0) = 0x2000 | P | RW | US;
    *entry64(0x1000, 1) = 0x40000000 | PS | P | RW;
    *entry64(0x2000, 3) = 0x3000 | P | RW | US;
    *entry64(0x2000, 4) = 0x400000 | PS | P | RW | US;
    *entry64(0x3000, 2) = 0x5000 | P | RW | US;
    paging = (struct guest_paging){.cr0 = PG | WP, .cr3 = 0, .cr4 = PAE, .efer = LMA};
    return 0;
}

#define FIRST (1ull << 39)

static void ia32e(void **state)
{
    (void)state;
    leads_to(FIRST | 3u << 21 | 2u << 12 | 6, WRITE | USER, 0x5006);
    assert_int_equal(*entry64(0x0000, 1), 0x1000 | P | RW | US | ACCESSED);
    assert_int_equal(*entry64(0x3000, 2), 0x5000 | P | RW | US | ACCESSED | DIRTY);
    leads_to(FIRST | 4u << 21 | 0x12345, READ, 0x412345);
    leads_to(FIRST | 1u << 30 | 0x1234567, WRITE, 0x41234567);
    faults(FIRST | 1u << 30, USER, P | USER);
    faults(FIRST | 2u << 30, WRITE, WRITE);
    faults(0, READ, 0);
    *entry64(0x1000, 0) &= ~(uint64_t)RW; /* rights count in the PDPT */
    faults(FIRST | 4u << 21, WRITE, P | WRITE);
}

static void five_levels(void **state)
{
    (void)state;
    *entry64(0x3000, 1) = 0x0000 | P | RW | US;
    paging.cr3 = 0x3000;
    paging.cr4 |= LA57;
    leads_to(1ull << 48 | FIRST | 4u << 21 | 5, READ, 0x400005);
    faults(2ull << 49 | FIRST, READ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(without_paging, narrow),
                                       cmocka_unit_test_setup(pages, narrow),
                                       cmocka_unit_test_setup(large_pages, narrow),
                                       cmocka_unit_test_setup(rights, narrow),
                                       cmocka_unit_test_setup(pae, wide),
                                       cmocka_unit_test_setup(ia32e, four_levels),
                                       cmocka_unit_test_setup(five_levels, four_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
