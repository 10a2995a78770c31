/* The file of checkpoints: what is read, what counts as none, and which checkpoint is chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/calls/stacks_file.h"

static const struct stacks_file of_this = {
    .identity = {.traces_size = 3, .content_crc = 4}, .names = 5, .tool = 6, .known = 7};

static void add(struct stacks_file *file, uint64_t tsc, uint32_t cut, const char *text)
{
    struct pack pack = {0};
    pack_bytes(&pack, text, strlen(text));
    assert_true(stacks_file_add(file, (struct stacks_file_entry){.tsc = tsc, .cut = cut, .names = 7 + cut}, &pack));
    pack_free(&pack);
}

/* A file of three entries. */
static void make(struct pack *pack)
{
    struct stacks_file file = of_this;
    add(&file, 100, 0, "first");
    add(&file, 200, 1, "");
    add(&file, 300, 4, "fourth");
    stacks_file_make(&file, pack);
    assert_false(pack->no_memory);
    stacks_file_free(&file);
}

static bool is_taken(const struct stacks_file *of, const struct pack *pack, size_t size)
{
    struct stacks_file file = *of;
    const bool taken = stacks_file_take(&file, pack->bytes, size);
    assert_int_equal(file.count, taken ? 3 : 0);
    stacks_file_free(&file);
    return taken;
}

static void what_is_read_was_written(void **state)
{
    struct pack pack = {0};
    struct stacks_file file = of_this;
    (void)state;
    make(&pack);
    assert_true(stacks_file_take(&file, pack.bytes, pack.size));
    assert_int_equal(file.count, 3);
    assert_false(file.changed);
    struct packed packed = stacks_file_bytes(&file, 2);
    assert_memory_equal(packed_bytes(&packed, 6), "fourth", 6);
    assert_ptr_equal(packed.at, packed.end);
    add(&file, 300, 5, "more");
    assert_true(file.changed);
    assert_int_equal(file.count, 4);
    packed = stacks_file_bytes(&file, 0);
    assert_memory_equal(packed_bytes(&packed, 5), "first", 5);
    stacks_file_free(&file);
    pack_free(&pack);
}

static void the_last_one_before_a_time_is_chosen(void **state)
{
    struct stacks_file file = of_this;
    (void)state;
    assert_true(stacks_file_before(&file, UINT64_MAX) == SIZE_MAX);
    add(&file, 100, 0, "");
    add(&file, 200, 1, "");
    assert_true(stacks_file_before(&file, 100) == SIZE_MAX);
    assert_int_equal(stacks_file_before(&file, 101), 0);
    assert_int_equal(stacks_file_before(&file, 200), 0);
    assert_int_equal(stacks_file_before(&file, UINT64_MAX), 1);
    stacks_file_free(&file);
}

static void another_capture_or_other_names_count_as_none(void **state)
{
    struct pack pack = {0};
    (void)state;
    make(&pack);
    struct stacks_file other = of_this;
    assert_true(is_taken(&other, &pack, pack.size));
    other.identity.content_crc++;
    assert_false(is_taken(&other, &pack, pack.size));
    other = of_this;
    other.names++;
    assert_false(is_taken(&other, &pack, pack.size));
    other = of_this;
    other.tool++;
    assert_false(is_taken(&other, &pack, pack.size));
    other = of_this;
    other.known++;
    assert_false(is_taken(&other, &pack, pack.size));
    pack_free(&pack);
}

static void each_damaged_byte_and_each_end_is_found(void **state)
{
    struct pack pack = {0};
    (void)state;
    make(&pack);
    for (size_t i = 0; i < pack.size; i++) {
        pack.bytes[i] ^= 0x10;
        assert_false(is_taken(&of_this, &pack, pack.size));
        pack.bytes[i] ^= 0x10;
        assert_false(is_taken(&of_this, &pack, i));
    }
    assert_true(is_taken(&of_this, &pack, pack.size));
    pack_free(&pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_was_written),
                                       cmocka_unit_test(the_last_one_before_a_time_is_chosen),
                                       cmocka_unit_test(another_capture_or_other_names_count_as_none),
                                       cmocka_unit_test(each_damaged_byte_and_each_end_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
