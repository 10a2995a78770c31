/* vmx/guest/inject.c: after an instruction, and into the guest's IDT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/guest/inject.h"

static void advance(void **state)
{
    (void)state;
    const struct guest_step at = {.rip = 0xffffffff81000ffe,
                                  .interruptibility =
                                      INTERRUPTIBILITY_STI | INTERRUPTIBILITY_MOV_SS | INTERRUPTIBILITY_NMI};
    struct guest_step next = guest_advance(at, 2, true, 2, 0);
    assert_int_equal(next.rip, 0xffffffff81001000);
    assert_int_equal(next.interruptibility, INTERRUPTIBILITY_NMI);
    assert_false(next.set_bs);
}

static void rip_wraps_outside_64_bit_mode(void **state)
{
    (void)state;
    const struct guest_step at = {.rip = 0xfffffffe};
    assert_int_equal(guest_advance(at, 3, false, 2, 0).rip, 1);
    assert_int_equal(guest_advance(at, 3, true, 2, 0).rip, 0x100000001);
}

/* Single-stepping over CPUID traps right after it; with BTF only branches trap. */
static void single_step(void **state)
{
    (void)state;
    const struct guest_step at = {.rip = 0x1000};
    assert_true(guest_advance(at, 2, true, RFLAGS_TF | 2, 0).set_bs);
    assert_false(guest_advance(at, 2, true, RFLAGS_TF | 2, DEBUGCTL_BTF).set_bs);
    assert_false(guest_advance(at, 2, true, 2, DEBUGCTL_BTF).set_bs);
}

static void exceptions(void **state)
{
    (void)state;
    assert_int_equal(event_exception(VECTOR_GP, true).information, 0x80000b0d);
    assert_int_equal(event_exception(VECTOR_GP, false).information, 0x8000030d); /* real mode pushes no error code */
    assert_int_equal(event_exception(VECTOR_UD, true).information, 0x80000306);
    assert_int_equal(event_nmi().information, 0x80000202);
}

/* SDM "Information for VM Exits That Occur During Event Delivery": deliver again what was cut short. */
static void again(void **state)
{
    (void)state;
    assert_int_equal(event_again(0x00000b0e, 1, 0).information, 0); /* not valid */
    struct event e = event_again(0x80000b0e, 0x15, 3);
    assert_int_equal(e.information, 0x80000b0e);
    assert_int_equal(e.error_code, 0x15);
    assert_int_equal(e.instruction_length, 0);
    e = event_again(0x80000480, 0, 2); /* INT 80H */
    assert_int_equal(e.information, 0x80000480);
    assert_int_equal(e.instruction_length, 2);
    e = event_again(0x80001202, 0, 0); /* bit 12 is undefined there, reserved in the VM-entry field */
    assert_int_equal(e.information, 0x80000202);
    assert_int_equal(event_again(0x800000ec, 0, 0).information, 0x800000ec);
}

static void nmi_window(void **state)
{
    (void)state;
    assert_true(nmi_can_inject(0, 0));
    assert_true(nmi_can_inject(0x00000202, 0)); /* an old value: VM exits clear the valid bit only */
    assert_false(nmi_can_inject(0x800000ec, 0));
    assert_false(nmi_can_inject(0, INTERRUPTIBILITY_NMI));
    assert_false(nmi_can_inject(0, INTERRUPTIBILITY_MOV_SS));
    assert_false(nmi_can_inject(0, INTERRUPTIBILITY_STI));
}

/* While one is served another is latched, and no third. */
static void nmis_latched(void **state)
{
    (void)state;
    assert_int_equal(nmis_pending_max(0, 0), 2);
    assert_int_equal(nmis_pending_max(0, INTERRUPTIBILITY_NMI), 1);
    assert_int_equal(nmis_pending_max(event_nmi().information, 0), 1);
    assert_int_equal(nmis_pending_max(0x800000ec, 0), 2);
}

#define EXCEPTION(vector) (EVENT_VALID | EVENT_HARDWARE_EXCEPTION << EVENT_TYPE_SHIFT | (vector))

/* Vol. 3A Table "Conditions for Generating a Double Fault". */
static void exceptions_in_deliveries(void **state)
{
    (void)state;
    assert_int_equal(event_nested(0, VECTOR_GP), VECTOR_GP);
    assert_int_equal(event_nested(EVENT_VALID | VECTOR_GP, VECTOR_TS), VECTOR_TS); /* an interrupt with this vector */
    assert_int_equal(event_nested(event_nmi().information, VECTOR_PF), VECTOR_PF);
    assert_int_equal(event_nested(EXCEPTION(VECTOR_UD), VECTOR_SS), VECTOR_SS);
    assert_int_equal(event_nested(EXCEPTION(0), VECTOR_TS), VECTOR_DF);
    assert_int_equal(event_nested(EXCEPTION(VECTOR_GP), VECTOR_NP), VECTOR_DF);
    assert_int_equal(event_nested(EXCEPTION(21), VECTOR_GP), VECTOR_DF);
    assert_int_equal(event_nested(EXCEPTION(VECTOR_GP), VECTOR_PF), VECTOR_PF);
    assert_int_equal(event_nested(EXCEPTION(VECTOR_PF), VECTOR_PF), VECTOR_DF);
    assert_int_equal(event_nested(EXCEPTION(VECTOR_PF), VECTOR_TS), VECTOR_DF);
    assert_int_equal(event_nested(EXCEPTION(VECTOR_DF), VECTOR_TS), 0);
    assert_int_equal(event_nested(EXCEPTION(VECTOR_DF), VECTOR_PF), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advance),
        cmocka_unit_test(rip_wraps_outside_64_bit_mode),
        cmocka_unit_test(single_step),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(exceptions_in_deliveries),
        cmocka_unit_test(again),
        cmocka_unit_test(nmi_window),
        cmocka_unit_test(nmis_latched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
