/* Waking a PCI function. The fake loses its BARs in the transition from D3hot to D0, as the specification allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/pci/pci_power.h"

#define SBDF 0x1000au
#define PM 0x50u

static uint32_t space[64], waited;

static uint32_t fake_read(void *context, uint32_t sbdf, uint32_t offset)
{
    (void)context;
    assert_int_equal(sbdf, SBDF);
    assert_in_range(offset, 0, 0xfc);
    assert_int_equal(offset % 4, 0);
    return space[offset / 4];
}

static void fake_write(void *context, uint32_t sbdf, uint32_t offset, uint32_t value)
{
    (void)context;
    assert_int_equal(sbdf, SBDF);
    if (offset == PM + 4) {
        assert_int_equal(value & 0x8000, 0); /* PME_Status must not be cleared */
        assert_int_equal(value & 0x100, space[offset / 4] & 0x100);
        if ((space[offset / 4] & 3) == 3)
            for (unsigned bar = 4; bar <= 9; bar++)
                space[bar] = 0;
        space[offset / 4] = value;
        waited = 0;
        return;
    }
    assert_true(waited >= 10000); /* only after the recovery time */
    assert_false(offset == 0x0c && value & 0x40000000);
    space[offset / 4] = value;
}

static void fake_wait(void *context, uint32_t us)
{
    (void)context;
    waited += us;
}

static const struct pci_config config = {fake_read, fake_write, fake_wait, NULL};

/* A function with an MSI capability, then that for power management. */
static void function(uint32_t state)
{
    memset(space, 0, sizeof space);
    space[0] = 0x9d278086;
    space[1] = 0x00100000;
    space[3] = 0x40804010;
    for (unsigned bar = 4; bar <= 9; bar++)
        space[bar] = 0xfe000000 + bar;
    space[0x34 / 4] = 0x80;
    space[0x80 / 4] = PM << 8 | 0x05;
    space[PM / 4] = 0x00230001;
    space[PM / 4 + 1] = 0x8100 | state;
    space[0x3c / 4] = 0x1ff;
    waited = 0;
}

static void it_wakes(void **state)
{
    (void)state;
    for (uint32_t sleep = 1; sleep <= 3; sleep++) {
        function(sleep);
        assert_true(pci_wake(&config, SBDF));
        assert_int_equal(space[PM / 4 + 1] & 3, 0);
        for (unsigned bar = 4; bar <= 9; bar++)
            assert_int_equal(space[bar], 0xfe000000 + bar);
        assert_int_equal(space[3], 0x4010);
        assert_int_equal(space[0x3c / 4], 0x1ff);
    }
}

static void nothing_is_done(void **state)
{
    (void)state;
    function(0); /* awake */
    assert_false(pci_wake(&config, SBDF));
    assert_int_equal(waited, 0);
    function(3); /* no capabilities */
    space[1] = 0;
    assert_false(pci_wake(&config, SBDF));
    function(3); /* no power management; the list is circular */
    space[0x80 / 4] = 0x80 << 8 | 0x05;
    assert_false(pci_wake(&config, SBDF));
    function(3); /* a list that points into the header */
    space[0x34 / 4] = 0x10;
    assert_false(pci_wake(&config, SBDF));
    memset(space, 0xff, sizeof space); /* no function */
    assert_false(pci_wake(&config, SBDF));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_wakes),
        cmocka_unit_test(nothing_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
