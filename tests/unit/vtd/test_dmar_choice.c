/* vtd=auto: when it is on, what is left alone, what it may cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vtd/dmar_choice.h"

static struct dmar laptop(void)
{
    return (struct dmar){.pa = 0x7a000000,
                         .firmware_asks = true,
                         .nr_units = 3,
                         .units = {0xfed90000, 0xfed84000, 0xfed91000},
                         .slots = {2 << 3, 7 << 3, DMAR_NO_SLOT}};
}

static void assert_says(const char *objection, const char *what)
{
    assert_non_null(objection);
    if (!strstr(objection, what))
        fail_msg("\"%s\" does not say \"%s\"", objection, what);
}

static void it_is_on_where_firmware_asks(void **state)
{
    (void)state;
    struct dmar dmar = laptop();
    assert_null(dmar_choose(&dmar, true));
    dmar.firmware_asks = false;
    assert_says(dmar_choose(&dmar, true), "vtd=on");
    dmar = laptop();
    assert_says(dmar_choose(&dmar, false), "left to the guest");
    dmar = (struct dmar){0};
    assert_says(dmar_choose(&dmar, true), "no unit");
}

static uint32_t class_of(uint32_t place)
{
    return place == 2 << 3 ? 0x030000 : place == 7 << 3 ? 0x060400 : 0xffffff;
}

static uint32_t displays_alone(uint32_t place)
{
    assert_int_not_equal(place, DMAR_NO_SLOT);
    return 0x038000;
}

static void displays_are_spared(void **state)
{
    (void)state;
    struct dmar dmar = laptop();
    assert_int_equal(dmar_nr_ours(&dmar), 3);
    dmar_spare_displays(&dmar, class_of);
    assert_true(dmar.spared[0]);
    assert_false(dmar.spared[1] || dmar.spared[2]);
    assert_int_equal(dmar_nr_ours(&dmar), 2);
    dmar = laptop();
    dmar.segments[0] = 1; /* whose configuration space is another */
    dmar_spare_displays(&dmar, displays_alone);
    assert_false(dmar.spared[0] || dmar.spared[2]);
    assert_true(dmar.spared[1]);
}

static void it_may_cost_little(void **state)
{
    (void)state;
    const uint64_t mib = 1ull << 20;
    assert_true(dmar_affordable(48 << 10, 256 * mib));
    assert_true(dmar_affordable(mib, 256 * mib));
    assert_false(dmar_affordable(mib + 4096, 256 * mib));
    assert_true(dmar_affordable(32 * mib, 16384 * mib)); /* 4-KiB pages, 16 GiB */
    assert_true(dmar_affordable(64 * mib, 1ull << 40));
    assert_false(dmar_affordable(64 * mib + 4096, 1ull << 40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_on_where_firmware_asks),
        cmocka_unit_test(displays_are_spared),
        cmocka_unit_test(it_may_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
