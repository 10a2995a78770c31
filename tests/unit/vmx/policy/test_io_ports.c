/* vmx/policy/io_ports.c: which ports exit, and which writes end the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/policy/io_ports.h"

static const struct vmx_ports pc = {
    .pm1a_cnt = 0xb004, .reset_port = 0xcf9, .reset_value = 0x06, .hidden_uart = 0x2f8, .watch_power = true};
static uint8_t bitmaps[IO_BITMAPS_SIZE];

static bool exits(uint32_t port)
{
    return bitmaps[port / 8] >> port % 8 & 1;
}

static void only_what_must(void **state)
{
    (void)state;
    unsigned nr = 0;
    io_ports_bitmap(bitmaps, &pc);
    for (uint32_t port = 0; port < 0x10000; port++)
        nr += exits(port);
    assert_int_equal(nr, 2 + 1 + 1 + 8);
    assert_true(exits(0xb004) && exits(0xb005) && exits(0xcf9) && exits(0x64));
    assert_true(exits(0x2f8) && exits(0x2ff));
    assert_false(exits(0x2f7) || exits(0x300) || exits(0xcfc) || exits(0xcf8) || exits(0));
}

/* Nothing to deliver, nothing to hide: no port exits. */
static void nothing_to_watch(void **state)
{
    (void)state;
    const struct vmx_ports quiet = {.pm1a_cnt = 0xb004, .reset_port = 0xcf9, .reset_value = 6};
    io_ports_bitmap(bitmaps, &quiet);
    for (uint32_t port = 0; port < 0x10000; port++)
        assert_false(exits(port));
    const struct vmx_ports hiding = {.nr_hidden = 1};
    io_ports_bitmap(bitmaps, &hiding);
    for (uint32_t port = 0; port < 0x10000; port++)
        assert_int_equal(exits(port), port >= 0xcf8 && port < 0xcfc);
}

static void power_off(void **state)
{
    (void)state;
    assert_true(io_write_ends(&pc, 0xb004, 2, 0x2000));
    assert_true(io_write_ends(&pc, 0xb004, 4, 0x2000));
    assert_true(io_write_ends(&pc, 0xb005, 1, 0x20));
    assert_true(io_write_ends(&pc, 0xb003, 4, 0x200000));
    assert_false(io_write_ends(&pc, 0xb004, 2, 0x1c01));
    assert_false(io_write_ends(&pc, 0xb004, 1, 0x20));
    assert_false(io_write_ends(&pc, 0, 4, 0xffffffff)); /* there is no PM1b */
}

static void sleep_of_hardware_reduced_acpi(void **state)
{
    (void)state;
    const struct vmx_ports tablet = {.sleep_control = 0x600, .watch_power = true};
    io_ports_bitmap(bitmaps, &tablet);
    assert_true(exits(0x600));
    assert_true(io_write_ends(&tablet, 0x600, 1, 0x34)); /* SLP_TYP 5, SLP_EN */
    assert_false(io_write_ends(&tablet, 0x600, 1, 0x14));
    assert_false(io_write_ends(&tablet, 0x601, 1, 0x34));
    assert_false(io_write_ends(&pc, 0, 1, 0x20));
}

/* SLP_TYP 1 is S3 as on the emulators' chipset, 5 as on many boards; 7 is off. */
static void sleeps_and_power_offs(void **state)
{
    (void)state;
    struct vmx_ports some = pc;
    assert_false(io_write_sleeps(&some, 0xb004, 2, 0x2400)); /* no table has given the sleep types yet */
    some.sleep_types = 1 << 1 | 1 << 5;
    some.sleep_control = 0x600;
    assert_true(io_write_sleeps(&some, 0xb004, 2, 0x2400));
    assert_true(io_write_sleeps(&some, 0xb004, 2, 0x3401));
    assert_true(io_write_sleeps(&some, 0xb005, 1, 0x24));
    assert_true(io_write_sleeps(&some, 0x600, 1, 0x34));
    assert_false(io_write_sleeps(&some, 0xb004, 2, 0x2000));
    assert_false(io_write_sleeps(&some, 0xb004, 2, 0x3c00));
    assert_false(io_write_sleeps(&some, 0xb004, 2, 0x1400)); /* SLP_TYP without SLP_EN has no effect */
    assert_false(io_write_sleeps(&some, 0xcf9, 1, 0x26));
}

static void reset(void **state)
{
    (void)state;
    assert_true(io_write_ends(&pc, 0xcf9, 1, 0x06));
    assert_true(io_write_ends(&pc, 0xcf9, 1, 0x0e));
    assert_false(io_write_ends(&pc, 0xcf9, 1, 0x02));       /* chooses the kind of reset */
    assert_false(io_write_ends(&pc, 0xcf8, 4, 0x80000600)); /* an address: not the reset control register */
    assert_true(io_write_ends(&pc, 0x64, 1, 0xfe));
    assert_false(io_write_ends(&pc, 0x64, 1, 0xd1));
    const struct vmx_ports other = {.reset_port = 0x92, .reset_value = 1};
    assert_true(io_write_ends(&other, 0x92, 1, 1));
    assert_false(io_write_ends(&other, 0x92, 1, 2));
}

static void hidden_uart(void **state)
{
    (void)state;
    assert_true(io_port_is_hidden(&pc, 0x2f8) && io_port_is_hidden(&pc, 0x2ff));
    assert_false(io_port_is_hidden(&pc, 0x2f7) || io_port_is_hidden(&pc, 0x300));
    const struct vmx_ports none = {0};
    assert_false(io_port_is_hidden(&none, 0) || io_port_is_hidden(&none, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_must),
                                       cmocka_unit_test(nothing_to_watch),
                                       cmocka_unit_test(sleeps_and_power_offs),
                                       cmocka_unit_test(power_off),
                                       cmocka_unit_test(sleep_of_hardware_reduced_acpi),
                                       cmocka_unit_test(reset),
                                       cmocka_unit_test(hidden_uart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
