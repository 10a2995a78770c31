/* A chipset's UART (LPSS): its clock divider, and the order of the writes that start it, with fake registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/uart/lpss.h"

#define SKYLAKE 0x9d278086u
#define TIGER_LAKE 0xa0a88086u

static double hz_of(uint32_t input, uint32_t divider)
{
    const uint32_t m = divider >> 1 & 0x7fff, n = divider >> 16 & 0x7fff;
    assert_int_equal(divider & 0x80000001u, 0);
    assert_true(m > 0 && m <= n);
    return (double)input * m / n;
}

static void dividers(void **state)
{
    (void)state;
    /* A PC's 115200 baud, exactly: 48/3125 of 120 MHz, 288/15625 of 100 MHz. */
    assert_int_equal(lpss_divider(120000000, 1843200), 48 << 1 | 3125u << 16);
    assert_int_equal(lpss_divider(100000000, 1843200), 288 << 1 | 15625u << 16);
    /* 4 Mbaud: 8/15 and 16/25. */
    assert_int_equal(lpss_divider(120000000, 64000000), 8 << 1 | 15u << 16);
    assert_int_equal(lpss_divider(100000000, 64000000), 16 << 1 | 25u << 16);
    assert_int_equal(lpss_divider(100000000, 100000000), 1 << 1 | 1u << 16);
    assert_int_equal(lpss_divider(100000000, 100000001), 0);
    assert_int_equal(lpss_divider(100000000, 0), 0);
    for (uint32_t base = 115200; base <= 4000000; base += 997)
        for (uint32_t input = 100000000; input <= 120000000; input += 20000000) {
            const double hz = hz_of(input, lpss_divider(input, 16 * base));
            assert_true(hz > 16.0 * base * (1 - 1 / 1000.0) && hz < 16.0 * base * (1 + 1 / 1000.0));
        }
}

static void input_clocks(void **state)
{
    (void)state;
    assert_int_equal(lpss_input_hz(SKYLAKE), 120000000);
    assert_int_equal(lpss_input_hz(0x4dc78086), 120000000);
    assert_int_equal(lpss_input_hz(TIGER_LAKE), 100000000);
    assert_int_equal(lpss_input_hz(0x5abc8086), 100000000);
    assert_true(lpss_may_be(SKYLAKE, 0x118000));
    assert_true(lpss_may_be(TIGER_LAKE, 0x078000));
    assert_false(lpss_may_be(0x816810ec, 0x078000));
    assert_false(lpss_may_be(SKYLAKE, 0x070002));    /* a 16550 */
    assert_false(lpss_may_be(0xffffffff, 0xffffff)); /* no function */
}

/* The fake registers. */
static struct fake {
    uint32_t capabilities, resets, clock, remap[2];
    unsigned waited, step;
} fake;

static uint32_t fake_read(void *context, uint32_t offset, unsigned bytes)
{
    (void)context;
    assert_int_equal(bytes, 4);
    assert_int_equal(offset, 0x2fc);
    return fake.capabilities;
}

/* The order: assert the resets, release them, set the address, set the divider, then apply it. */
static void fake_write(void *context, uint32_t offset, unsigned bytes, uint32_t value)
{
    static const uint32_t order[] = {0x204, 0x204, 0x240, 0x244, 0x200, 0x200};
    (void)context;
    assert_int_equal(bytes, 4);
    assert_in_range(fake.step, 0, 5);
    assert_int_equal(offset, order[fake.step]);
    if (fake.step == 0)
        assert_int_equal(value, 0);
    if (offset == 0x204)
        fake.resets = value;
    if (offset == 0x240 || offset == 0x244)
        fake.remap[offset == 0x244] = value;
    if (fake.step == 4)
        assert_int_equal(value & 0x80000001u, 0);
    if (fake.step == 5)
        assert_int_equal(value, fake.clock | 0x80000001u);
    if (offset == 0x200)
        fake.clock = value;
    fake.step++;
}

static void fake_wait(void *context, uint32_t us)
{
    (void)context;
    fake.waited += us;
}

static const struct register_access access = {fake_read, fake_write, fake_wait, NULL};

static void it_starts(void **state)
{
    (void)state;
    fake = (struct fake){.capabilities = 0x00000110};
    assert_null(lpss_start(&access, TIGER_LAKE, 0x4017001000, 4000000));
    assert_int_equal(fake.step, 6);
    assert_int_equal(fake.resets & 3, 3);
    assert_int_equal(fake.remap[0], 0x17001000);
    assert_int_equal(fake.remap[1], 0x40);
    assert_int_equal(fake.clock, 16 << 1 | 25u << 16 | 0x80000001u);
    assert_true(fake.waited > 0);
}

static void what_is_none(void **state)
{
    static const uint32_t kinds[] = {0xffffffff, 0x100, 0x120, 0};
    (void)state;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fake = (struct fake){.capabilities = kinds[i]};
        assert_non_null(lpss_start(&access, SKYLAKE, 0xfe032000, 115200));
        assert_int_equal(fake.step, 0);
    }
    fake = (struct fake){.capabilities = 0x110};
    assert_non_null(lpss_start(&access, TIGER_LAKE, 0xfe032000, 8000000));
    assert_int_equal(fake.step, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dividers),
        cmocka_unit_test(input_clocks),
        cmocka_unit_test(it_starts),
        cmocka_unit_test(what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
