/* base/format.c against the C library's snprintf, which defines what the same directives mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"

#define SAME_AS_LIBC(...)                                                                                              \
    do {                                                                                                               \
        char ours[128], theirs[128];                                                                                   \
        size_t length = format_text(ours, sizeof(ours), __VA_ARGS__);                                                  \
        snprintf(theirs, sizeof(theirs), __VA_ARGS__);                                                                 \
        assert_string_equal(ours, theirs);                                                                             \
        assert_int_equal(length, strlen(theirs));                                                                      \
    } while (0)

static void numbers(void **state)
{
    (void)state;
    SAME_AS_LIBC("%d %d %d", 0, 2147483647, -2147483647 - 1);
    SAME_AS_LIBC("%u %x", 4294967295u, 4294967295u);
    SAME_AS_LIBC("%ld %lu %lx", -5L, 18446744073709551615UL, 0xfedcba9876543210UL);
    SAME_AS_LIBC("%llu %llx", 18446744073709551615ULL, 1ULL);
    SAME_AS_LIBC("%lld", -9223372036854775807LL - 1);
    SAME_AS_LIBC("%p", (void *)0xfee00000);
}

static void fields(void **state)
{
    (void)state;
    SAME_AS_LIBC("[%5d][%-5d][%05d][%05d]", 42, 42, 42, -42);
    SAME_AS_LIBC("[%016lx][%2x]", 0xabcUL, 0x12345u);
    SAME_AS_LIBC("[%8s][%-8s][%s]", "abc", "abc", "");
    SAME_AS_LIBC("[%3c][%-3c]", 'x', 'y');
    SAME_AS_LIBC("100%% of %s%c", "it", '!');
}

static void cut_at_the_end(void **state)
{
    char buffer[8];

    (void)state;
    memset(buffer, 'Z', sizeof(buffer));
    assert_int_equal(format_text(buffer, sizeof(buffer), "%s", "0123456789"), 7);
    assert_string_equal(buffer, "0123456");
    assert_int_equal(format_text(buffer, 1, "abc"), 0);
    assert_string_equal(buffer, "");
    buffer[0] = 'Z';
    assert_int_equal(format_text(buffer, 0, "abc"), 0);
    assert_int_equal(buffer[0], 'Z');
}

static void survives_mistakes(void **state)
{
    char buffer[32];
    const char *volatile unknown = "a%qb";
    const char *volatile trailing = "a%";
    const char *volatile string = "%s";

    (void)state;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    format_text(buffer, sizeof(buffer), unknown);
    assert_string_equal(buffer, "a%qb");
    format_text(buffer, sizeof(buffer), trailing);
    assert_string_equal(buffer, "a");
    format_text(buffer, sizeof(buffer), string, (const char *)NULL);
    assert_string_equal(buffer, "(null)");
#pragma GCC diagnostic pop
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(fields),
        cmocka_unit_test(cut_at_the_end),
        cmocka_unit_test(survives_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
