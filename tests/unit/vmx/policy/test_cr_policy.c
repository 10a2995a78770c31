/* vmx/policy/cr_policy.c: when MOV to CR0 faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vmx/policy/cr_policy.h"

#define PE 1ull
#define NE (1ull << 5)
#define WP (1ull << 16)
#define NW (1ull << 29)
#define CD (1ull << 30)
#define PG (1ull << 31)
#define PAE (1ull << 5)
#define PCIDE (1ull << 17)
#define CET (1ull << 23)
#define LME (1ull << 8)
#define LMA (1ull << 10)

static void faults(void **state)
{
    (void)state;
    const struct {
        uint64_t value;
        struct cr_state before;
        bool fault;
    } rows[] = {
        {NE, {0}, false},
        {1ull << 32, {0}, true},
        {PG, {0}, true},
        {PG | PE, {0}, false},
        {NW, {0}, true},
        {NW | CD, {0}, false},
        {PE, {.cr0 = WP, .cr4 = CET}, true},
        {PE | WP, {.cr0 = WP, .cr4 = CET}, false},
        /* paging off: not with PCIDs, nor in 64-bit mode */
        {PE, {.cr0 = PE | PG, .cr4 = PAE, .efer = LME | LMA, .cs_long = true}, true},
        {PE, {.cr0 = PE | PG, .cr4 = PAE, .efer = LME | LMA}, false},
        {PE, {.cr0 = PE | PG, .cr4 = PAE | PCIDE, .efer = LME | LMA}, true},
        /* paging on: into IA-32e mode */
        {PE | PG, {.cr0 = PE, .efer = LME}, true},
        {PE | PG, {.cr0 = PE, .cr4 = PAE, .efer = LME}, false},
        {PE | PG, {.cr0 = PE, .cr4 = PAE, .efer = LME, .cs_long = true}, true},
        {PE | PG, {.cr0 = PE, .cr4 = PAE, .efer = LME, .tss_16bit = true}, true},
        {PE | PG, {.cr0 = PE, .tss_16bit = true}, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(cr0_write_faults(rows[i].value, &rows[i].before), rows[i].fault);
}

static void pdptes(void **state)
{
    (void)state;
    const struct cr_state off = {.cr0 = PE, .cr4 = PAE}, on = {.cr0 = PE | PG, .cr4 = PAE},
                          ia32e = {.cr0 = PE, .cr4 = PAE, .efer = LME};
    assert_true(cr0_write_loads_pdptes(PE | PG, &off));
    assert_true(cr0_write_loads_pdptes(PE | PG | CD, &on));
    assert_false(cr0_write_loads_pdptes(PE | PG | NE, &on));
    assert_false(cr0_write_loads_pdptes(PE | PG, &ia32e));
    assert_false(pdpte_faults(0x1e6, 36));
    assert_false(pdpte_faults(0x1019, 36));
    assert_true(pdpte_faults(0x1003, 36));
    assert_true(pdpte_faults(0x1101, 36));
    assert_true(pdpte_faults(1ull << 36 | 1, 36));
    assert_false(pdpte_faults(1ull << 35 | 1, 36));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults), cmocka_unit_test(pdptes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
