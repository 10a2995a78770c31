/* The index of what was executed: runs are counted and added up, its file is refused where it is not what was written;
 * and the gate from a function's call to its return. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/checksum.h"
#include "decode/engine/batch.h"
#include "decode/query/gate.h"
#include "decode/query/index_parts.h"
#include "pt/instruction/instruction.h"

#define KERNEL 0xffffffff81000000ull

static void execute(struct run_table *table, uint64_t begin, uint32_t space, uint64_t tsc, uint32_t stretch)
{
    struct run *run = run_table_place(table, begin, begin + 8, space);
    assert_non_null(run);
    if (run->count++ == 0) {
        run->instructions = 1;
        run->first_tsc = tsc;
        run->first_stretch = stretch;
    }
    run->last_tsc = tsc;
    run->last_stretch = stretch;
    run->last_space = space;
}

static void spaces_differ_below_the_kernel(void **state)
{
    struct run_table table = {0};
    size_t count;
    (void)state;
    execute(&table, 0x1000, 0, 10, 0);
    execute(&table, 0x1000, 1, 11, 0);
    execute(&table, 0x1000, 1, 12, 0);
    execute(&table, KERNEL, 0, 13, 0);
    execute(&table, KERNEL, 1, 14, 0);
    struct run *runs = run_table_sorted(&table, &count);
    assert_int_equal(count, 3);
    assert_int_equal(runs[0].count, 1);
    assert_int_equal(runs[1].count, 2);
    assert_int_equal(runs[2].count, 2);
    assert_int_equal(runs[2].first_space, 0);
    assert_int_equal(runs[2].last_space, 1);
    free(runs);
}

static void tables_grow_and_lose_nothing(void **state)
{
    struct run_table table = {0};
    size_t count;
    (void)state;
    for (int round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 20000; i++)
            execute(&table, KERNEL + i * 16, 0, i, 0);
    struct run *runs = run_table_sorted(&table, &count);
    assert_int_equal(count, 20000);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(runs[i].begin, KERNEL + i * 16);
        assert_int_equal(runs[i].count, 3);
    }
    free(runs);
}

static void what_threads_have_is_added_by_time(void **state)
{
    struct run_table sum = {0}, other = {0};
    size_t count;
    (void)state;
    execute(&sum, KERNEL, 3, 500, 7);
    execute(&other, KERNEL, 1, 100, 2);
    execute(&other, KERNEL, 2, 900, 9);
    run_table_place(&other, 0x5000, 0x5008, 0)->count = 4; /* of no instruction: it only seemed to be one */
    assert_true(run_table_merge(&sum, &other));
    struct run *runs = run_table_sorted(&sum, &count);
    assert_int_equal(count, 1);
    assert_int_equal(runs[0].count, 3);
    assert_int_equal(runs[0].first_tsc, 100);
    assert_int_equal(runs[0].first_stretch, 2);
    assert_int_equal(runs[0].first_space, 1);
    assert_int_equal(runs[0].last_tsc, 900);
    assert_int_equal(runs[0].last_stretch, 9);
    assert_int_equal(runs[0].last_space, 2);
    free(runs);
    run_table_free(&other);
}

static const struct capture_identity identity = {
    .events_size = 1, .checksums_size = 2, .traces_size = 3, .traces_crc = 4, .content_crc = 5};

/* An index of one stretch, one chunk and two runs. Its bytes are the caller's to free. */
static struct query_index make_index(void)
{
    struct index_stretch stretch = {.begin = 16, .end = 99, .tsc = 1000, .branches = 12};
    uint64_t set[] = {KERNEL >> INDEX_GRANULE_SHIFT, 0x10, 0x10};
    struct index_space space = {.cr3 = 0x77000, .pid = 12, .comm = "perl"};
    uint32_t in = 0;
    struct index_part part = {.chunk = {.nr_stretches = 1, .nr_set = 2, .nr_spaces = 1},
                              .set = set,
                              .space_set = &in,
                              .sums = {.branches = 12}};
    struct run_spaces spaces = {.items = &space, .count = 1};
    struct index_parts parts = {.header.identity = identity,
                                .stretches = &stretch,
                                .nr_stretches = 1,
                                .chunks = &part,
                                .nr_chunks = 1,
                                .spaces = &spaces};
    struct query_index index;
    execute(&parts.runs, 0x1000, 0, 1000, 0);
    execute(&parts.runs, KERNEL, 0, 1001, 0);
    assert_true(index_parts_join(&index, &parts));
    return index;
}

static void an_index_says_what_was_put_in(void **state)
{
    struct query_index index = make_index(), again;
    (void)state;
    assert_int_equal(index.header->counts[INDEX_RUNS], 2);
    assert_int_equal(index.runs[0].begin, 0x1000);
    assert_int_equal(index.runs[1].first_tsc, 1001);
    assert_int_equal(index.spaces[0].cr3, 0x77000);
    assert_int_equal(index.spaces[0].pid, 12);
    assert_string_equal(index.spaces[0].comm, "perl");
    assert_int_equal(index.header->counts[INDEX_GRANULES], 2);
    assert_int_equal(index.granules[index.sets[0]], 0x10);
    assert_int_equal(index.granules[index.sets[1]], KERNEL >> INDEX_GRANULE_SHIFT);
    assert_int_equal(index.header->first_tsc, 1000);
    assert_ptr_equal(index_chunk_of(&index, 0), index.chunks);
    assert_true(index_take(&again, index.bytes, index.size, &identity));
    free(index.bytes);
}

static void an_index_of_another_capture_is_none(void **state)
{
    struct query_index index = make_index(), again;
    struct capture_identity other = identity;
    (void)state;
    other.traces_size++;
    assert_false(index_take(&again, index.bytes, index.size, &other));
    other = identity;
    other.content_crc++;
    assert_false(index_take(&again, index.bytes, index.size, &other));
    free(index.bytes);
}

static void a_damaged_index_is_none(void **state)
{
    struct query_index index = make_index(), again;
    uint8_t *bytes = index.bytes;
    (void)state;
    for (uint64_t i = 0; i < index.size; i++) {
        bytes[i] ^= 0x10;
        assert_false(index_take(&again, bytes, index.size, &identity));
        bytes[i] ^= 0x10;
    }
    for (uint64_t size = 0; size < index.size; size++)
        assert_false(index_take(&again, bytes, size, &identity));
    assert_true(index_take(&again, bytes, index.size, &identity));
    free(bytes);
}

static void numbers_that_lead_out_of_an_index_are_refused(void **state)
{
    struct query_index index = make_index(), again;
    struct index_header *header = index.bytes;
    struct run *run = (struct run *)(uintptr_t)index.runs;
    (void)state;
    run->last_stretch = 1;
    header->crc = checksum_of((const char *)index.bytes + sizeof(*header), (size_t)index.size - sizeof(*header));
    header->header_crc = checksum_of(header, offsetof(struct index_header, header_crc));
    assert_false(index_take(&again, index.bytes, index.size, &identity));
    free(index.bytes);
}

static void the_gate_closes_with_the_return(void **state)
{
    struct gate gate;
    (void)state;
    gate_enter(&gate, 0x2000, 0x2100, 0x1005, INSTRUCTION_CALL_DIRECT);
    gate_take(&gate, 0x2010, 0x2000, INSTRUCTION_CALL_DIRECT); /* it calls itself */
    assert_int_equal(gate.depth, 1);
    gate_take(&gate, 0x2080, 0x2015, INSTRUCTION_RET);
    assert_true(gate.open);
    gate_take(&gate, 0x2020, 0x3000, FLOW_TAG_EVENT);
    gate_take(&gate, 0x3010, 0x2020, INSTRUCTION_FAR_RETURN);
    assert_int_equal(gate.depth, 0);
    gate_take(&gate, 0x2080, 0x100a, INSTRUCTION_RET);
    assert_false(gate.open);
}

static void the_gate_finds_its_return_after_another_task(void **state)
{
    struct gate gate;
    (void)state;
    gate_enter(&gate, 0x2000, 0x2100, 0x1005, INSTRUCTION_CALL_INDIRECT);
    gate_take(&gate, 0x2010, 0x4000, INSTRUCTION_CALL_DIRECT); /* switches to another task: returns without calls */
    for (int i = 0; i < 5; i++)
        gate_take(&gate, 0x4010, 0x5000, INSTRUCTION_RET);
    assert_true(gate.open);
    gate_take(&gate, 0x2080, 0x100a, INSTRUCTION_RET);
    assert_false(gate.open);
}

static void a_loop_does_not_enter(void **state)
{
    (void)state;
    assert_false(gate_enters(INSTRUCTION_JCC, 0x2040, 0x2000, 0x2100));
    assert_true(gate_enters(INSTRUCTION_CALL_DIRECT, 0x2040, 0x2000, 0x2100));
    assert_true(gate_enters(INSTRUCTION_JMP_DIRECT, 0x3040, 0x2000, 0x2100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_differ_below_the_kernel),
        cmocka_unit_test(tables_grow_and_lose_nothing),
        cmocka_unit_test(what_threads_have_is_added_by_time),
        cmocka_unit_test(an_index_says_what_was_put_in),
        cmocka_unit_test(an_index_of_another_capture_is_none),
        cmocka_unit_test(a_damaged_index_is_none),
        cmocka_unit_test(numbers_that_lead_out_of_an_index_are_refused),
        cmocka_unit_test(the_gate_closes_with_the_return),
        cmocka_unit_test(the_gate_finds_its_return_after_another_task),
        cmocka_unit_test(a_loop_does_not_enter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
