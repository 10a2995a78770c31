/* decode/names/symbol_match.c: symbols, and the functions of a source that they belong to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/names/symbol_match.h"

static void bases(void **state)
{
    (void)state;
    static const struct {
        const char *symbol;
        size_t length;
    } symbols[] = {{"vfs_read", 8},
                   {"kernel_init.llvm.13804912345678", 11},
                   {"shrink_slab.constprop.0", 11},
                   {"ext4_add.isra.0.cold", 8},
                   {"copy_page.part.0.isra.3", 9},
                   {"work.lto_priv.12.localalias", 4},
                   {"do_exit.cold.3", 7},
                   {"counter.42", 7},
                   {"a.b", 3}, /* the assembler allows points in names */
                   {"name.constprop.x", 16},
                   {".text.unlikely", 14},
                   {".cold", 5},
                   {"", 0}};

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
        assert_int_equal(symbol_base_length(symbols[i].symbol), symbols[i].length);
}

static void one_function(void **state)
{
    (void)state;
    assert_true(symbol_is("kernel_init", "kernel_init"));
    assert_true(symbol_is("kernel_init.llvm.1", "kernel_init"));
    assert_true(symbol_is("kernel_init.isra.0.cold", "kernel_init"));
    assert_false(symbol_is("kernel_init_freeable", "kernel_init"));
    assert_false(symbol_is("kernel_init.x", "kernel_init"));
    assert_false(symbol_is("kernel", "kernel_init"));
    assert_false(symbol_is(NULL, "kernel_init"));
}

static void patterns(void **state)
{
    (void)state;
    assert_true(symbol_matches("vfs_read", "vfs_*"));
    assert_true(symbol_matches("shrink_slab.constprop.0", "shrink_slab"));
    assert_true(symbol_matches("shrink_slab.constprop.0", "*_slab"));
    assert_true(symbol_matches("shrink_slab.constprop.0", "shrink_slab.constprop.0"));
    assert_false(symbol_matches("shrink_slab.constprop.0", "shrink_slab.isra.0"));
    assert_false(symbol_matches("shrink_slabs", "shrink_slab"));
}

/* What c++filt of binutils prints, without Rust's hashes. */
static void languages(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *name;
    } symbols[] = {
        {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)"},
        {"_ZNK3fooclEi@plt", "foo::operator()(int) const@plt"},
        {"_ZN12_GLOBAL__N_14walkEPKc", "(anonymous namespace)::walk(char const*)"},
        {"_ZNK3fooclEi", "foo::operator()(int) const"},
        {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
        {"_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example"}};

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        char *name = symbol_demangle(symbols[i].symbol);
        if (!name && i == 0)
            skip(); /* built without libiberty */
        assert_non_null(name);
        assert_string_equal(name, symbols[i].name);
        assert_true(symbol_matches(symbols[i].symbol, symbols[i].name));
        free(name);
    }
    assert_null(symbol_demangle("main"));
    assert_null(symbol_demangle("_Zero"));
    assert_true(symbol_matches(symbols[0].symbol, "std::vector<int, std::allocator<int> >::push_back"));
    assert_true(symbol_matches(symbols[2].symbol, "(anonymous namespace)::walk"));
    assert_true(symbol_matches(symbols[3].symbol, "foo::operator()"));
    assert_true(symbol_matches(symbols[4].symbol, "core::fmt::*"));
    assert_true(symbol_matches(symbols[0].symbol, "_ZNSt6vector*"));
    assert_false(symbol_matches(symbols[0].symbol, "push_back"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bases), cmocka_unit_test(one_function),
                                       cmocka_unit_test(patterns), cmocka_unit_test(languages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
