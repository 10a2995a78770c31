/* Whose PMI: counters that overflow are delivered once, and what our PMI froze thaws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vmx/nmi/pmi.h"

#define TOPA (1ull << 55)
#define LBR_FRZ (1ull << 58)
#define CTR_FRZ (1ull << 59)

static void nothing_of_the_guest(void **state)
{
    (void)state;
    struct pmi pmi = pmi_judge(TOPA, 0);
    assert_false(pmi.counters);
    assert_int_equal(pmi.delivered, 0);
    assert_int_equal(pmi.thaw, 0);
}

static void an_overflow_is_delivered_once(void **state)
{
    (void)state;
    struct pmi pmi = pmi_judge(1, 0);
    assert_true(pmi.counters);
    pmi = pmi_judge(1 | TOPA, pmi.delivered);
    assert_false(pmi.counters);
    assert_true(pmi_judge(3, pmi.delivered).counters);         /* another counter */
    assert_true(pmi_judge(1, pmi.delivered & ~1ull).counters); /* reset by the guest, and overflowed again */
    assert_true(pmi_judge(1ull << 34, 0).counters);            /* fixed counter 2 */
    assert_true(pmi_judge(1ull << 62, 0).counters);            /* the DS buffer */
    assert_false(pmi_judge(1ull << 63 | TOPA, 0).counters);    /* CondChgd */
}

static void what_our_pmi_froze_thaws(void **state)
{
    (void)state;
    assert_int_equal(pmi_judge(TOPA | CTR_FRZ, 0).thaw, CTR_FRZ);
    assert_int_equal(pmi_judge(TOPA | CTR_FRZ | LBR_FRZ, 0).thaw, CTR_FRZ | LBR_FRZ);
}

/* Frozen by its own overflow, the guest's counters stay frozen until the guest says so. */
static void what_the_guest_froze_stays(void **state)
{
    (void)state;
    struct pmi pmi = pmi_judge(1 | CTR_FRZ | TOPA, 0);
    assert_int_equal(pmi.thaw, 0);
    pmi = pmi_judge(CTR_FRZ | TOPA, pmi.delivered & ~1ull);
    assert_int_equal(pmi.thaw, 0);
    assert_int_equal(pmi_judge(CTR_FRZ | TOPA, pmi.delivered & ~CTR_FRZ).thaw, CTR_FRZ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_the_guest),
        cmocka_unit_test(an_overflow_is_delivered_once),
        cmocka_unit_test(what_our_pmi_froze_thaws),
        cmocka_unit_test(what_the_guest_froze_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
