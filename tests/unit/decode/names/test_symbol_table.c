/* decode/names/symbol_table.c: what covers an address, and which of several symbols is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/names/symbol_table.h"

static const char *name_at(const struct symbol_table *table, uint64_t address)
{
    uint64_t begin = 0, end = UINT64_MAX;
    const struct symbol_entry *entry = symbol_table_find(table, address, &begin, &end);
    return entry ? entry->name : NULL;
}

static void sizes_and_gaps(void **state)
{
    (void)state;
    struct symbol_table table = {0};
    symbol_table_add(&table, 0x300, 0x10, "third", 0);
    symbol_table_add(&table, 0x100, 0x10, "first", 0);
    symbol_table_add(&table, 0x200, 0, "second", 0); /* up to the next one */
    symbol_table_finish(&table);
    assert_string_equal(name_at(&table, 0x10f), "first");
    assert_null(name_at(&table, 0x110));
    assert_string_equal(name_at(&table, 0x2ff), "second");
    assert_string_equal(name_at(&table, 0x300), "third");
    assert_int_equal(table.nr_aliases, 0);
    symbol_table_free(&table);
}

static void several_at_one_address(void **state)
{
    (void)state;
    struct symbol_table table = {0};
    symbol_table_add(&table, 0x100, 0x10, "__pi_memcpy", 1);
    symbol_table_add(&table, 0x100, 0, "memcpy", 0);
    symbol_table_add(&table, 0x100, 0, "__memcpy", 1);
    symbol_table_add(&table, 0x100, 0, "memcpy", 1);
    symbol_table_add(&table, 0x100, 8, NULL, 0);
    symbol_table_add(&table, 0x200, 0x10, "next", 0);
    symbol_table_finish(&table);
    assert_int_equal(table.count, 2);
    assert_string_equal(name_at(&table, 0x107), "memcpy");
    assert_int_equal(table.nr_aliases, 2);
    for (size_t i = 0; i < table.nr_aliases; i++) {
        assert_string_equal(table.aliases[i].kept, "memcpy");
        assert_true(!strcmp(table.aliases[i].name, "__memcpy") || !strcmp(table.aliases[i].name, "__pi_memcpy"));
    }
    symbol_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_and_gaps), cmocka_unit_test(several_at_one_address)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
