/* Lists that grow by one item, and the search for the last item that is not after a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/capture/list.h"

struct item {
    uint32_t other;
    uint64_t key;
};

static size_t after(const struct item *items, size_t count, uint64_t key)
{
    return LIST_AFTER(items, count, struct item, key, key);
}

/* Lists of each length, with equal keys: every key that is there, and those between. */
static void the_first_item_after_a_key_is_found(void **state)
{
    (void)state;
    for (size_t count = 0; count <= 20; count++) {
        struct item items[20];
        for (size_t i = 0; i < count; i++)
            items[i] = (struct item){.other = UINT32_MAX, .key = 10 + i / 3 * 2};
        for (uint64_t key = 0; key < 40; key++) {
            size_t expected = 0;
            while (expected < count && items[expected].key <= key)
                expected++;
            assert_int_equal(after(items, count, key), expected);
        }
    }
}

static void the_largest_keys_are_found(void **state)
{
    (void)state;
    const struct item items[] = {{.key = 0}, {.key = UINT64_MAX - 1}, {.key = UINT64_MAX}};
    assert_int_equal(after(items, 3, 0), 1);
    assert_int_equal(after(items, 3, UINT64_MAX - 1), 2);
    assert_int_equal(after(items, 3, UINT64_MAX), 3);
    assert_int_equal(after(NULL, 0, 5), 0);
}

static void items_are_added(void **state)
{
    (void)state;
    void *items = NULL;
    size_t count = 0, room = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        struct item *item = list_add(&items, &count, &room, sizeof(*item));
        assert_non_null(item);
        *item = (struct item){.key = i};
        assert_true(count == i + 1 && room >= count);
    }
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(((const struct item *)items)[i].key, i);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_item_after_a_key_is_found),
                                       cmocka_unit_test(the_largest_keys_are_found), cmocka_unit_test(items_are_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
