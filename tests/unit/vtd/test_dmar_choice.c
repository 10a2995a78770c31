/* vtd=auto: when it is used, which units are excluded, and how much memory it may use. */
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
                         .firmware_opts_in = true,
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

static void used_where_firmware_requests_it(void **state)
{
    (void)state;
    struct dmar dmar = laptop();
    assert_null(dmar_auto_objection(&dmar, true));
    dmar.firmware_opts_in = false;
    assert_says(dmar_auto_objection(&dmar, true), "vtd=on");
    dmar = laptop();
    assert_says(dmar_auto_objection(&dmar, false), "left to the guest");
    dmar = (struct dmar){0};
    assert_says(dmar_auto_objection(&dmar, true), "no remapping unit");
}

static uint32_t class_of(uint32_t place)
{
    return place == 2 << 3 ? 0x030000 : place == 7 << 3 ? 0x060400 : 0xffffff;
}

static uint32_t all_displays(uint32_t place)
{
    assert_int_not_equal(place, DMAR_NO_SLOT);
    return 0x038000;
}

static void display_units_are_excluded(void **state)
{
    (void)state;
    struct dmar dmar = laptop();
    assert_int_equal(dmar_nr_managed(&dmar), 3);
    dmar_exclude_displays(&dmar, class_of);
    assert_true(dmar.excluded[0]);
    assert_false(dmar.excluded[1] || dmar.excluded[2]);
    assert_int_equal(dmar_nr_managed(&dmar), 2);
    dmar = laptop();
    dmar.segments[0] = 1; /* class_of reads segment 0 only */
    dmar_exclude_displays(&dmar, all_displays);
    assert_false(dmar.excluded[0] || dmar.excluded[2]);
    assert_true(dmar.excluded[1]);
}

static void memory_is_limited(void **state)
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
        cmocka_unit_test(used_where_firmware_requests_it),
        cmocka_unit_test(display_units_are_excluded),
        cmocka_unit_test(memory_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
