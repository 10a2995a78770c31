/* Which machines cannot leave x2APIC mode, and that each reason has a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/x2apic.h"

static const struct x2apic_facts off = {false, false}, on = {true, false}, locked = {true, true};
static const uint32_t low[] = {0, 1, 254}, high[] = {0, 255, 256};

static void hold_is(struct x2apic_facts facts, const uint32_t *ids, enum x2apic_hold should, uint32_t id_should)
{
    uint32_t id = 0;
    assert_int_equal(x2apic_hold_of(facts, ids, 3, &id), should);
    assert_int_equal(id, id_should);
}

static void test_hold(void **state)
{
    (void)state;
    hold_is(off, low, X2APIC_FREE, 0);
    hold_is(off, high, X2APIC_FREE, 0); /* the others cannot be started: boot/aps.c says so */
    hold_is(on, low, X2APIC_FREE, 0);
    hold_is(on, high, X2APIC_HIGH_ID, 255);
    hold_is(locked, low, X2APIC_LOCKED, 0);
    hold_is(locked, high, X2APIC_LOCKED, 0);
}

static void test_texts(void **state)
{
    (void)state;
    assert_null(x2apic_hold_text(X2APIC_FREE));
    assert_null(x2apic_hold_remedy(X2APIC_FREE));
    assert_non_null(strstr(x2apic_hold_text(X2APIC_LOCKED), "x2APIC mode is locked"));
    assert_non_null(strstr(x2apic_hold_remedy(X2APIC_LOCKED), "disable SGX and TDX in the firmware setup"));
    assert_non_null(strstr(x2apic_hold_text(X2APIC_HIGH_ID), "above 254"));
    assert_non_null(strstr(x2apic_hold_remedy(X2APIC_HIGH_ID), "disable Hyper-Threading"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hold), cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
