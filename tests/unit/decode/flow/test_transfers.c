/* Branches that are not conditional: picked out of all, and held until the chunks before have been handed on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/engine/transfers.h"
#include "decode/flow/flow_order.h"
#include "pt/instruction/instruction.h"

#define MOST 8192u

/* What the hooks were told: of a result, its begin. */
struct told {
    struct flow_transfer items[MOST];
    struct flow_transfers of[MOST];
    size_t count, calls, results;
    uint64_t order[16];
};

static void take_transfers(void *context, const struct flow_transfers *transfers)
{
    struct told *told = context;
    told->calls++;
    for (size_t i = 0; i < transfers->count; i++) {
        assert_true(told->count < MOST);
        told->items[told->count] = transfers->items[i];
        told->of[told->count++] = *transfers;
    }
}

static void take_result(void *context, const struct flow_result *result)
{
    struct told *told = context;
    told->order[told->results++] = result->begin;
}

static int set_up(void **state)
{
    *state = calloc(1, sizeof(struct told));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static const struct flow_transfers common = {.tsc = 7, .cr3 = 0x1000, .at = 30, .begin = 20};

static void test_kinds(void **state)
{
    static const uint8_t kinds[] = {INSTRUCTION_JCC,        INSTRUCTION_JCC,           INSTRUCTION_CALL_DIRECT,
                                    INSTRUCTION_RET,        INSTRUCTION_CALL_INDIRECT, INSTRUCTION_JCC,
                                    INSTRUCTION_JMP_DIRECT, INSTRUCTION_JMP_INDIRECT,  INSTRUCTION_FAR_CALL,
                                    INSTRUCTION_FAR_RETURN, INSTRUCTION_FAR_JUMP,      TRANSFERS_EVENT,
                                    INSTRUCTION_JCC};
    static const struct {
        uint64_t from, before;
        enum flow_transfer_kind kind;
    } wanted[] = {{102, 2, FLOW_TRANSFER_CALL},       {103, 0, FLOW_TRANSFER_RETURN}, {104, 0, FLOW_TRANSFER_CALL},
                  {106, 1, FLOW_TRANSFER_JUMP},       {107, 0, FLOW_TRANSFER_JUMP},   {108, 0, FLOW_TRANSFER_FAR_CALL},
                  {109, 0, FLOW_TRANSFER_FAR_RETURN}, {110, 0, FLOW_TRANSFER_JUMP},   {111, 0, FLOW_TRANSFER_INTERRUPT},
                  {0, 1, FLOW_TRANSFER_JUMP}};
    struct told *told = *state;
    const struct flow_hooks hooks = {.transfers = take_transfers, .context = told};
    struct flow_branch branches[sizeof(kinds)];
    static struct transfers transfers;
    for (size_t i = 0; i < sizeof(kinds); i++)
        branches[i] = (struct flow_branch){100 + i, 200 + i};
    transfers_take(&transfers, &hooks, branches, kinds, sizeof(kinds), common);
    assert_int_equal(told->count, 9);
    transfers_end(&transfers, &hooks, common); /* the conditional branch that is left */
    assert_int_equal(told->count, sizeof(wanted) / sizeof(wanted[0]));
    for (size_t i = 0; i < told->count; i++) {
        assert_int_equal(told->items[i].from, wanted[i].from);
        assert_int_equal(told->items[i].to, wanted[i].from ? wanted[i].from + 100 : 0);
        assert_int_equal(told->items[i].before, wanted[i].before);
        assert_int_equal(told->items[i].kind, wanted[i].kind);
        assert_int_equal(told->of[i].cr3, common.cr3);
    }
    transfers_end(&transfers, &hooks, common);
    assert_int_equal(told->count, 10); /* nothing is left */
}

static void test_many(void **state)
{
    struct told *told = *state;
    const struct flow_hooks hooks = {.transfers = take_transfers, .context = told};
    static struct transfers transfers;
    static struct flow_branch branches[3 * TRANSFERS_BATCH];
    static uint8_t kinds[3 * TRANSFERS_BATCH];
    for (size_t i = 0; i < 3 * TRANSFERS_BATCH; i++) {
        branches[i] = (struct flow_branch){i + 1, 1};
        kinds[i] = INSTRUCTION_RET;
    }
    transfers_take(&transfers, &hooks, branches, kinds, 3 * TRANSFERS_BATCH - 1, common);
    assert_int_equal(told->calls, 3);
    assert_int_equal(told->count, 3 * TRANSFERS_BATCH - 1);
    for (size_t i = 0; i < told->count; i++)
        assert_int_equal(told->items[i].from, i + 1);
}

static void hold(struct flow_held *held, uint64_t from, uint64_t tsc, uint64_t cr3)
{
    const struct flow_transfer items[2] = {{.from = from, .to = 1, .before = 5, .kind = FLOW_TRANSFER_CALL},
                                           {.from = from + 1, .to = 2, .kind = FLOW_TRANSFER_RETURN}};
    const struct flow_transfers transfers = {
        .items = items, .count = 2, .tsc = tsc, .cr3 = cr3, .at = from + 10, .begin = from + 20};
    flow_held_transfers(held, &transfers);
}

/* The second chunk is decoded first, and handed on second, with all that its batches have in common. */
static void test_held(void **state)
{
    struct told *told = *state;
    const struct flow_hooks hooks = {.transfers = take_transfers, .result = take_result, .context = told};
    const struct flow_result first = {.begin = 1}, second = {.begin = 2};
    struct flow_order order;
    flow_order_init(&order, &hooks);
    struct flow_held early = {.order = &order, .chunk = 0}, late = {.order = &order, .chunk = 1};
    hold(&late, 300, 7, 0x3000);
    hold(&late, 400, 7, 0x4000); /* of one time, and yet apart */
    flow_held_result(&late, &second);
    assert_int_equal(told->count + told->results, 0);
    hold(&early, 100, 5, 0x1000);
    flow_held_result(&early, &first);
    flow_held_finish(&early);
    flow_held_finish(&late);
    assert_int_equal(told->count, 6);
    assert_int_equal(told->order[0], 1);
    assert_int_equal(told->order[1], 2);
    for (size_t i = 0; i < 6; i++) {
        const uint64_t from = i < 2 ? 100 : i < 4 ? 300 : 400;
        assert_int_equal(told->items[i].from, from + i % 2);
        assert_int_equal(told->items[i].before, i % 2 ? 0 : 5);
        assert_int_equal(told->items[i].kind, i % 2 ? FLOW_TRANSFER_RETURN : FLOW_TRANSFER_CALL);
        assert_int_equal(told->of[i].tsc, i < 2 ? 5 : 7);
        assert_int_equal(told->of[i].cr3, from / 100 * 0x1000);
        assert_int_equal(told->of[i].at, from + 10);
        assert_int_equal(told->of[i].begin, from + 20);
    }
    flow_held_free(&early);
    flow_held_free(&late);
    flow_order_destroy(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_held, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
