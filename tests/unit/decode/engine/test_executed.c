/* Batches of what was executed: conditional branches that are only counted, items that are not needed, many items. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/engine/executed.h"

static const enum instruction_mode mode = INSTRUCTION_64;
static struct code_pages pages;
static const struct flow_input input = {.pages = &pages};

static struct executed begin(unsigned needs)
{
    struct executed executed;
    assert_true(executed_init(&executed, &input, needs, &mode));
    executed_begin(&executed, 16, 32, 0);
    executed.non_root = true;
    return executed;
}

static void branch(struct executed *executed, uint64_t from, uint8_t tag)
{
    executed_branch(executed, from, from + 1, tag);
    executed_prove(executed);
}

static void expect_end(struct executed *executed, uint64_t branches, uint64_t conditional)
{
    const struct flow_batch *batch = executed_next(executed);
    assert_non_null(batch);
    assert_int_equal(batch->kind, FLOW_BATCH_END);
    assert_int_equal(batch->result->branches, branches);
    assert_int_equal(batch->conditional, conditional);
    assert_null(executed_next(executed));
}

/* Also across two flushes, and at the end of the stretch. */
static void conditional_branches_are_counted(void **state)
{
    (void)state;
    struct executed executed = begin(FLOW_NEED_TRANSFERS);
    branch(&executed, 1, INSTRUCTION_JCC);
    branch(&executed, 2, INSTRUCTION_JCC);
    executed_flush(&executed);
    assert_null(executed_next(&executed)); /* nothing but conditional branches */
    branch(&executed, 3, INSTRUCTION_RET);
    branch(&executed, 4, INSTRUCTION_JCC);
    branch(&executed, 5, INSTRUCTION_CALL_DIRECT);
    branch(&executed, 6, FLOW_TAG_EVENT);
    branch(&executed, 7, INSTRUCTION_JCC);
    executed_flush(&executed);
    const struct flow_batch *batch = executed_next(&executed);
    const uint8_t tags[] = {INSTRUCTION_RET, FLOW_TAG_CONDITIONAL, INSTRUCTION_CALL_DIRECT, FLOW_TAG_EVENT};
    assert_int_equal(batch->conditional, 2);
    assert_int_equal(batch->begin, 16);
    assert_int_equal(batch->count, 4);
    assert_memory_equal(batch->tags, tags, sizeof(tags));
    assert_int_equal(batch->items[0].branch.from, 3);
    assert_int_equal(batch->items[1].conditional, 1);
    assert_int_equal(batch->items[2].branch.from, 5);
    assert_int_equal(batch->items[3].branch.to, 7);
    assert_null(executed_next(&executed));
    executed_end(&executed);
    expect_end(&executed, 7, 1);
    executed_free(&executed);
}

static void what_is_not_needed_is_counted_only(void **state)
{
    (void)state;
    struct executed executed = begin(FLOW_NEED_INSTRUCTIONS);
    executed_instruction(&executed, 100);
    branch(&executed, 100, INSTRUCTION_JCC);
    executed_instruction(&executed, 200);
    executed_prove(&executed);
    executed_instruction(&executed, 300); /* not proven */
    executed_drop(&executed);
    executed_flush(&executed);
    const struct flow_batch *batch = executed_next(&executed);
    assert_int_equal(batch->count, 2);
    assert_int_equal(batch->items[1].instruction, 200);
    executed_end(&executed);
    expect_end(&executed, 1, 0);
    executed_free(&executed);
}

/* Of several contexts, each batch has its own; root's items are in none. */
static void a_batch_has_one_context(void **state)
{
    (void)state;
    struct executed executed = begin(FLOW_NEED_BRANCHES | FLOW_NEED_CONTEXT | FLOW_NEED_POSITIONS);
    executed_by(&executed, true, 0x1000);
    branch(&executed, 1, INSTRUCTION_RET);
    executed_by(&executed, true, 0x2000);
    branch(&executed, 2, INSTRUCTION_RET);
    executed_position(&executed, true, 77);
    executed_by(&executed, false, 0x3000);
    branch(&executed, 3, INSTRUCTION_RET);
    executed_position(&executed, true, 78);
    executed_flush(&executed);
    const struct flow_batch *batch = executed_next(&executed);
    assert_int_equal(batch->context.cr3, 0x1000);
    assert_int_equal(batch->items[0].branch.from, 1);
    assert_null(batch->tags);
    batch = executed_next(&executed);
    assert_int_equal(batch->context.cr3, 0x2000);
    assert_int_equal(batch->items[0].branch.from, 2);
    batch = executed_next(&executed);
    assert_int_equal(batch->kind, FLOW_BATCH_POSITION);
    assert_int_equal(batch->position.ip, 77);
    assert_null(executed_next(&executed));
    executed_end(&executed);
    expect_end(&executed, 2, 0);
    executed_free(&executed);
}

/* More than there is room for at first, and not pulled in between: nothing is lost. */
static void many_items_wait(void **state)
{
    (void)state;
    struct executed executed = begin(FLOW_NEED_BRANCHES | FLOW_NEED_KINDS);
    const size_t room = executed.room;
    uint64_t added = 0, pulled = 0;
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 50000; i++)
            branch(&executed, ++added, INSTRUCTION_RET);
        executed_flush(&executed);
    }
    assert_true(executed.room > room && !executed.no_memory);
    for (const struct flow_batch *batch; (batch = executed_next(&executed));)
        for (size_t i = 0; i < batch->count; i++)
            assert_int_equal(batch->items[i].branch.from, ++pulled);
    assert_int_equal(pulled, added);
    executed_end(&executed);
    expect_end(&executed, added, 0);
    executed_free(&executed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditional_branches_are_counted),
                                       cmocka_unit_test(what_is_not_needed_is_counted_only),
                                       cmocka_unit_test(a_batch_has_one_context), cmocka_unit_test(many_items_wait)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
