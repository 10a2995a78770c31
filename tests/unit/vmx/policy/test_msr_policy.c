/* vmx/policy/msr_policy.c: the table of intercepted MSRs, and the MSR bitmap derived from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/policy/msr_policy.h"

static uint8_t bitmap[MSR_BITMAP_SIZE];

static bool exits(uint32_t base, uint32_t msr)
{
    return bitmap[base + msr / 8] >> msr % 8 & 1;
}

static void table_is_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < msr_policy_nr_rows; i++) {
        assert_true(msr_policy[i].condition < 2 * MSR_IF_IPIS);
        assert_true(msr_policy[i].first <= msr_policy[i].last);
        /* From 2000H to BFFFFFFFH all exit; from C0000000H on MSRs would need the bitmap's other halves. */
        assert_true(msr_policy[i].last < 0x2000 || (msr_policy[i].first >= 0x2000 && msr_policy[i].last < 0xc0000000));
        assert_non_null(msr_policy[i].name);
        assert_true(msr_policy[i].read != MSR_NATIVE || msr_policy[i].write != MSR_NATIVE);
        if (i > 0)
            assert_true(msr_policy[i - 1].last < msr_policy[i].first);
    }
}

/* PT's output is not translated by EPT, so the guest must not reach any of its MSRs, whether PT is on or off. */
static void pt_and_vmx_msrs_fault(void **state)
{
    (void)state;
    const uint32_t hidden[] = {0x560, 0x561, 0x570, 0x571, 0x572, 0x580, 0x583, 0x587, 0x480, 0x491, 0x493};
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        const struct msr_row *row = msr_policy_find(hidden[i], 0);
        assert_non_null(row);
        assert_int_equal(row->read, MSR_FAULT);
        assert_int_equal(row->write, MSR_FAULT);
    }
}

static void conditions(void **state)
{
    (void)state;
    const uint32_t of_pt[] = {0x38e, 0x390, 0x391, 0x80f, 0x834};
    for (size_t i = 0; i < sizeof of_pt / sizeof of_pt[0]; i++) {
        assert_null(msr_policy_find(of_pt[i], MSR_IF_PERF_CTRL));
        assert_non_null(msr_policy_find(of_pt[i], MSR_IF_PT));
    }
    assert_non_null(msr_policy_find(0x1b, MSR_ALWAYS)); /* root mode sends IPIs without PT as well */
    assert_null(msr_policy_find(0x830, MSR_IF_PT));
    assert_non_null(msr_policy_find(0x830, MSR_IF_IPIS));
    assert_null(msr_policy_find(0x38f, MSR_IF_PT));
    assert_non_null(msr_policy_find(0x38f, MSR_IF_PERF_CTRL));
    assert_null(msr_policy_find(0xc0000080, MSR_IF_PT | MSR_IF_PERF_CTRL));
}

/* Of hypervisors below, which write to the address that the guest names: flags in the low bits are not part of it. */
static void shared_pages(void **state)
{
    (void)state;
    const uint32_t shared[] = {0x11,       0x12,       0x40000001, 0x40000021, 0x40000073,
                               0x40000083, 0x4b564d00, 0x4b564d01, 0x4b564d03, 0x4b564d04};

    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        const struct msr_row *row = msr_policy_find(shared[i], MSR_ALWAYS);
        assert_non_null(row);
        assert_int_equal(row->write, MSR_SHARED_PAGE);
        assert_int_equal(row->read, MSR_NATIVE);
        assert_int_equal(row->mask & 0xfffffffffffff000ull, 0xfffffffffffff000ull);
    }
    assert_null(msr_policy_find(0x40000084, MSR_ALWAYS)); /* HV_X64_MSR_EOM has no address */
    assert_null(msr_policy_find(0x4b564d05, MSR_ALWAYS)); /* MSR_KVM_POLL_CONTROL: a flag */
}

/* For each of the 16 combinations of MSR_IF_* conditions, of which MSR_IF_IPIS is the highest bit. */
static void bitmap_follows_the_table(void **state)
{
    (void)state;
    for (uint32_t holding = 0; holding < 2 * MSR_IF_IPIS; holding++) {
        msr_policy_bitmap(bitmap, holding);
        for (uint32_t msr = 0; msr < 0x2000; msr++) {
            const struct msr_row *row = msr_policy_find(msr, holding);
            assert_int_equal(exits(0, msr), row && row->read != MSR_NATIVE);
            assert_int_equal(exits(2048, msr), row && row->write != MSR_NATIVE);
            assert_false(exits(1024, msr));
            assert_false(exits(3072, msr));
        }
    }
}

static void frequent_msrs_do_not_exit(void **state)
{
    (void)state;
    const uint32_t frequent[] = {0x10, 0x3b, 0x48, 0x6e0, 0x808, 0x80b, 0x830, 0x838, 0x1d9, 0x277, 0x174};
    msr_policy_bitmap(bitmap, MSR_IF_PT);
    for (size_t i = 0; i < sizeof frequent / sizeof frequent[0]; i++) {
        assert_false(exits(0, frequent[i]));
        assert_int_equal(exits(2048, frequent[i]), frequent[i] == 0x10 || frequent[i] == 0x3b); /* seldom written */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_in_order),
        cmocka_unit_test(pt_and_vmx_msrs_fault),
        cmocka_unit_test(conditions),
        cmocka_unit_test(shared_pages),
        cmocka_unit_test(bitmap_follows_the_table),
        cmocka_unit_test(frequent_msrs_do_not_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
