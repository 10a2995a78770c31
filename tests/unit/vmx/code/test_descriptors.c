/* vmx/code/descriptors.c: the bases of code segments in a descriptor table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "vmx/code/descriptors.h"

#define FLAT_CODE 0x00cf9b000000ffffull
#define FLAT_DATA 0x00cf93000000ffffull
#define CODE_16 0x00009b000000ffffull
#define DATA_16 0x000093400000ffffull /* base 400000H, which does not count */

static bool share(const uint64_t *table, uint32_t nr, uint32_t base)
{
    uint8_t bytes[64];

    for (uint32_t i = 0; i < nr; i++)
        put64(bytes + 8 * i, table[i]);
    return descriptors_share_base(bytes, 8 * nr, base);
}

/* As boot loaders have it: flat segments, and one of 16 bits for the way to real mode. */
static void one_segment(void **state)
{
    const uint64_t table[] = {0, FLAT_CODE, FLAT_DATA, CODE_16, DATA_16};

    (void)state;
    assert_true(share(table, 5, 0));
    assert_false(share(table, 5, 0x1000));
    assert_true(share(table, 3, 0x1000)); /* none */
}

static void another_base(void **state)
{
    const uint64_t moved = CODE_16 | 0x123400000ull << 4, table[] = {0, CODE_16, moved};

    (void)state;
    assert_false(share(table, 3, 0));
    assert_true(share(table, 2, 0));
    const uint64_t only[] = {0, 0x12009b345678ffffull};
    assert_true(share(only, 2, 0x12345678));
    assert_false(share(only, 2, 0x345678));
}

/* 32-bit code with a base is not flat. Absent segments and system descriptors are none. */
static void kinds(void **state)
{
    const uint64_t based[] = {0x00cf9b100000ffffull}, absent[] = {0x00001b100000ffffull},
                   system[] = {0x00008b100000ffffull};

    (void)state;
    assert_false(share(based, 1, 0));
    assert_true(share(based, 1, 0x100000));
    assert_true(share(absent, 1, 0));
    assert_true(share(system, 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_segment), cmocka_unit_test(another_base),
                                       cmocka_unit_test(kinds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
