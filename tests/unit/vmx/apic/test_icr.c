/* Which CPUs a command of the ICR addresses, in both modes, and which commands are NMIs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vmx/apic/icr.h"

#define NMI 0x400ull
#define OTHERS (3ull << 18)
#define ALL (2ull << 18)
#define SELF (1ull << 18)

static const struct icr_target cpu_3 = {.mode = LAPIC_XAPIC, .apic_id = 3, .logical_id = 0x08, .is_flat = true};
static const struct icr_target cpu_12h = {.mode = LAPIC_X2APIC, .apic_id = 0x12};

static uint64_t xapic(uint64_t destination, uint64_t command)
{
    return destination << 56 | command;
}

static uint64_t x2apic(uint64_t destination, uint64_t command)
{
    return destination << 32 | command;
}

static void physical_destinations(void **state)
{
    (void)state;
    assert_true(icr_addresses_other(xapic(3, NMI), false, &cpu_3));
    assert_false(icr_addresses_other(xapic(2, NMI), false, &cpu_3));
    assert_true(icr_addresses_other(xapic(0xff, NMI), false, &cpu_3));
    assert_true(icr_addresses_other(x2apic(0x12, NMI), true, &cpu_12h));
    assert_false(icr_addresses_other(x2apic(0xff, NMI), true, &cpu_12h)); /* no broadcast there */
    assert_true(icr_addresses_other(x2apic(UINT32_MAX, NMI), true, &cpu_12h));
    assert_true(icr_addresses_other(x2apic(3, NMI), true, &cpu_3)); /* between the modes */
}

static void logical_destinations(void **state)
{
    (void)state;
    struct icr_target clustered = {.mode = LAPIC_XAPIC, .apic_id = 3, .logical_id = 0x24};

    assert_true(icr_addresses_other(xapic(0x0c, NMI | ICR_LOGICAL), false, &cpu_3));
    assert_false(icr_addresses_other(xapic(0x04, NMI | ICR_LOGICAL), false, &cpu_3));
    assert_true(icr_addresses_other(xapic(0x26, NMI | ICR_LOGICAL), false, &clustered));
    assert_false(icr_addresses_other(xapic(0x16, NMI | ICR_LOGICAL), false, &clustered));
    assert_false(icr_addresses_other(xapic(0x22, NMI | ICR_LOGICAL), false, &clustered));
    assert_true(icr_addresses_other(x2apic(1u << 16 | 1u << 2, NMI | ICR_LOGICAL), true, &cpu_12h));
    assert_false(icr_addresses_other(x2apic(1u << 16 | 1u << 3, NMI | ICR_LOGICAL), true, &cpu_12h));
    assert_false(icr_addresses_other(x2apic(1u << 2, NMI | ICR_LOGICAL), true, &cpu_12h));
    assert_false(icr_addresses_other(x2apic(1u << 3, NMI | ICR_LOGICAL), true, &cpu_3)); /* between the modes */
}

static void shorthands(void **state)
{
    (void)state;
    assert_true(icr_addresses_other(xapic(9, NMI | OTHERS), false, &cpu_3));
    assert_true(icr_addresses_other(xapic(9, NMI | ALL), false, &cpu_3));
    assert_false(icr_addresses_other(xapic(3, NMI | SELF), false, &cpu_3));
}

static void the_sender_itself(void **state)
{
    (void)state;
    assert_true(icr_addresses_self(xapic(3, NMI), false, &cpu_3));
    assert_true(icr_addresses_self(xapic(0x0c, NMI | ICR_LOGICAL), false, &cpu_3));
    assert_false(icr_addresses_self(xapic(2, NMI), false, &cpu_3));
    assert_false(icr_addresses_self(xapic(3, NMI | OTHERS), false, &cpu_3));
    assert_false(icr_addresses_self(xapic(0xff, NMI), false, &cpu_3));
}

/* Others are left to the local APIC. */
static void which_are_nmis(void **state)
{
    (void)state;
    assert_true(icr_is_nmi(xapic(3, NMI), false));
    assert_true(icr_is_nmi(xapic(3, NMI | ICR_ASSERT | 2), false)); /* the vector is ignored */
    assert_true(icr_is_nmi(xapic(3, NMI | OTHERS), false));
    assert_true(icr_is_nmi(x2apic(0xff, NMI), true));
    assert_false(icr_is_nmi(xapic(3, ICR_MODE_INIT), false));
    assert_false(icr_is_nmi(xapic(3, ICR_MODE_SIPI | ICR_VECTOR), false));
    assert_false(icr_is_nmi(xapic(3, 0x40), false));
    assert_false(icr_is_nmi(xapic(3, NMI | ICR_LEVEL_TRIGGERED), false));
    assert_false(icr_is_nmi(xapic(3, NMI | SELF), false));
    assert_false(icr_is_nmi(xapic(3, NMI | ALL), false));
    assert_false(icr_is_nmi(xapic(0xff, NMI), false));
    assert_false(icr_is_nmi(x2apic(UINT32_MAX, NMI), true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(physical_destinations), cmocka_unit_test(logical_destinations), cmocka_unit_test(shorthands),
        cmocka_unit_test(the_sender_itself),     cmocka_unit_test(which_are_nmis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
