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

/* --- commands to one CPU --- */

/* APIC IDs of several clusters, up to the highest that x2APIC mode has. */
static const uint32_t ids[] = {0, 1, 7, 8, 15, 16, 17, 31, 32, 0xef, 0xfe, 0xff, 0x100, 0x101, 0x10f, 0x1000, 0xffffe};
static const enum lapic_mode modes[] = {LAPIC_DISABLED, LAPIC_XAPIC, LAPIC_X2APIC};
#define NR(array) (sizeof(array) / sizeof(array)[0])

static struct icr_target target_of(uint32_t id, enum lapic_mode mode)
{
    return (struct icr_target){.mode = mode, .apic_id = id, .logical_id = (uint8_t)(1u << (id & 7)), .is_flat = true};
}

/* Each command includes its target, and of all other CPUs, in whatever mode they are, none. */
static void a_command_to_one_cpu_includes_no_other(void **state)
{
    (void)state;
    for (size_t from = 1; from < NR(modes); from++)
        for (size_t i = 0; i < NR(ids); i++)
            for (size_t mode = 0; mode < NR(modes); mode++) {
                const struct icr_target to = target_of(ids[i], modes[mode]);
                const bool x2apic = modes[from] == LAPIC_X2APIC;
                if (!icr_reaches(modes[from], &to))
                    continue;
                const uint64_t icr = icr_to(&to, x2apic, ICR_MODE_INIT | ICR_ASSERT);
                assert_int_equal(icr & (ICR_MODE_MASK | ICR_ASSERT | ICR_VECTOR), ICR_MODE_INIT | ICR_ASSERT);
                assert_true(icr_addresses_other(icr, x2apic, &to));
                for (size_t k = 0; k < NR(ids); k++)
                    for (size_t other = 0; k != i && other < NR(modes); other++) {
                        const struct icr_target another = target_of(ids[k], modes[other]);
                        assert_false(icr_addresses_other(icr, x2apic, &another));
                    }
            }
}

/* SDM "Logical Destination Mode in x2APIC Mode": the cluster is ID[19:4], the bit ID[3:0]. A target in xAPIC mode has
 * no logical ID of that kind. */
static void destinations(void **state)
{
    (void)state;
    const struct icr_target x2 = target_of(0x12, LAPIC_X2APIC), x = target_of(0x12, LAPIC_XAPIC);
    const struct icr_target high = target_of(0xffffe, LAPIC_X2APIC);
    assert_int_equal(icr_to(&x2, true, 0x4500), 0x0001000400004d00);
    assert_int_equal(icr_to(&high, true, 0x4500), 0xffff400000004d00);
    assert_int_equal(icr_to(&x, true, 0x4608), 0x0000001200004608);
    assert_int_equal(icr_to(&x, false, 0x4500), 0x1200000000004500);
    assert_int_equal(icr_to(&x2, false, 0x4500), 0x1200000000004500);
}

static void what_is_reached(void **state)
{
    (void)state;
    for (size_t i = 0; i < NR(ids); i++)
        for (size_t from = 0; from < NR(modes); from++)
            for (size_t mode = 0; mode < NR(modes); mode++) {
                const struct icr_target to = target_of(ids[i], modes[mode]);
                const bool both = modes[from] != LAPIC_DISABLED && modes[mode] != LAPIC_DISABLED;
                const bool wide = modes[from] == LAPIC_X2APIC || ids[i] < 0xff;
                assert_int_equal(icr_reaches(modes[from], &to), both && wide);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(physical_destinations),
        cmocka_unit_test(logical_destinations),
        cmocka_unit_test(shorthands),
        cmocka_unit_test(the_sender_itself),
        cmocka_unit_test(which_are_nmis),
        cmocka_unit_test(a_command_to_one_cpu_includes_no_other),
        cmocka_unit_test(destinations),
        cmocka_unit_test(what_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
