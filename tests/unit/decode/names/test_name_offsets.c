/* Page offsets of functions: an address that they rule out never belongs to a wanted function, wherever the kernel is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/names/name_offsets.h"

static const char map[] = "ffffffff81000000 T first\n"
                          "ffffffff81000100 T wanted\n"
                          "ffffffff81000120 T second\n"
                          "ffffffff81002ff0 T wanted_too\n"
                          "ffffffff81003010 T third\n";

static bool is_wanted(void *context, const char *symbol)
{
    return !strncmp(symbol, context, strlen(context));
}

static struct names *open_map(void)
{
    char name[] = "/tmp/undertrace-offsets-XXXXXX";
    const int file = mkstemp(name);
    const struct capture capture = {0};
    const struct names_options options = {.symbols = name};
    struct error error = {0};
    assert_true(file >= 0);
    assert_int_equal(write(file, map, sizeof(map) - 1), sizeof(map) - 1);
    close(file);
    struct names *names = names_open(&capture, &options, &error);
    unlink(name);
    assert_non_null(names);
    return names;
}

static void kernel(void **state)
{
    struct name_offsets offsets;
    struct names *names = open_map();
    (void)state;
    name_offsets_find(&offsets, names, is_wanted, (void *)(uintptr_t) "wanted");
    for (uint64_t page = 0xffffffff9c000000ull; page; page = page == 0xffffffff9c000000ull ? 0x1000000 : 0) {
        assert_true(name_offsets_may(&offsets, false, page + 0x100, page + 0x100));
        assert_true(name_offsets_may(&offsets, false, page + 0x11f, page + 0x200));
        assert_true(name_offsets_may(&offsets, false, page + 0x80, page + 0x100));
        assert_true(name_offsets_may(&offsets, false, page + 0xf80, page + 0xff0)); /* it extends into the next page */
        assert_true(name_offsets_may(&offsets, false, page + 0xf80, page + 0x1000));
        assert_true(name_offsets_may(&offsets, false, page, page + 5));
        assert_true(name_offsets_may(&offsets, false, page + 0x500, page + 0x2500));
        assert_false(name_offsets_may(&offsets, false, page + 0x120, page + 0xfef));
        assert_false(name_offsets_may(&offsets, false, page + 0x10, page + 0xff));
    }
    assert_false(name_offsets_may(&offsets, true, 0x401100, 0x401100)); /* no process maps the kernel there */
    assert_true(name_offsets_may(&offsets, true, 0xffffffff81000100ull, 0xffffffff81000100ull));
    names_close(names);
}

/* A range that extends from one page into the next. */
static void next_page(void **state)
{
    struct name_offsets offsets;
    struct names *names = open_map();
    (void)state;
    name_offsets_find(&offsets, names, is_wanted, (void *)(uintptr_t) "first");
    assert_true(name_offsets_may(&offsets, false, 0xffffffff81004f80ull, 0xffffffff81005000ull));
    assert_false(name_offsets_may(&offsets, false, 0xffffffff81004f80ull, 0xffffffff81004fffull));
    names_close(names);
}

static void nothing(void **state)
{
    struct name_offsets offsets;
    struct names *names = open_map();
    (void)state;
    name_offsets_find(&offsets, names, is_wanted, (void *)(uintptr_t) "of no such name");
    assert_false(name_offsets_may(&offsets, false, 0xffffffff81000000ull, 0xffffffff81ffffffull));
    assert_false(name_offsets_may(&offsets, false, 0, 0xffffff));
    names_close(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernel), cmocka_unit_test(next_page),
                                       cmocka_unit_test(nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
