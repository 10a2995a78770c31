/* vmx/cpu/exit_reasons.c: the names of the manual's numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/cpu/exit_reasons.h"

static void numbers_of_the_manual(void **state)
{
    (void)state;
    assert_string_equal(exit_reason_name(0), "exception_or_nmi");
    assert_string_equal(exit_reason_name(10), "cpuid");
    assert_string_equal(exit_reason_name(30), "io_instruction");
    assert_string_equal(exit_reason_name(37), "monitor_trap_flag");
    assert_string_equal(exit_reason_name(48), "ept_violation");
    assert_string_equal(exit_reason_name(55), "xsetbv");
    assert_string_equal(exit_reason_name(64), "xrstors");
}

static void holes_and_beyond(void **state)
{
    (void)state;
    assert_string_equal(exit_reason_name(35), "unnamed");
    assert_string_equal(exit_reason_name(71), "unnamed");
    assert_string_equal(exit_reason_name(NR_EXIT_REASONS), "unnamed");
    assert_string_equal(exit_reason_name(0xffffffff), "unnamed");
}

/* A name is one word, as in "name value" lines, and no two reasons have the same. */
static void names_are_words_and_unique(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_EXIT_REASONS; i++) {
        const char *name = exit_reason_name(i);
        if (strcmp(name, "unnamed") == 0)
            continue;
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(name, exit_reason_name(j));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_of_the_manual), cmocka_unit_test(holes_and_beyond),
                                       cmocka_unit_test(names_are_words_and_unique)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
