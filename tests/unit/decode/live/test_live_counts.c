/* Batches as the decoder delivers them, counted by address and by space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/live/live_counts.h"
#include "pt/instruction/instruction.h"

#define KERNEL 0xffffffff81000000ull
#define USER 0x401000ull
#define CR3 0x5000ull

/* Three conditional branches, a CALL, one more conditional, an IRET to user mode, two conditionals that no transfer
 * follows. */
static const union flow_item items[] = {{.conditional = 3},
                                        {.branch = {KERNEL, KERNEL + 0x40}},
                                        {.conditional = 1},
                                        {.branch = {KERNEL + 0x44, USER}},
                                        {.conditional = 2}};
static const uint8_t tags[] = {FLOW_TAG_CONDITIONAL, INSTRUCTION_CALL_DIRECT, FLOW_TAG_CONDITIONAL,
                               INSTRUCTION_FAR_RETURN, FLOW_TAG_CONDITIONAL};

static struct flow_batch a_batch(uint64_t tsc)
{
    return (struct flow_batch){.kind = FLOW_BATCH_ITEMS,
                               .context = {.cr3 = CR3, .tsc = tsc, .at = 0x100},
                               .items = items,
                               .tags = tags,
                               .count = sizeof(tags)};
}

static uint64_t branches_at(const struct live_counts *counts, uint64_t address, uint64_t cr3)
{
    for (size_t i = 0; i < counts->size; i++)
        if (counts->spots[i].branches && counts->spots[i].address == address && counts->spots[i].cr3 == cr3)
            return counts->spots[i].branches;
    return 0;
}

static void branches_belong_to_where_the_next_transfer_comes_from(void **state)
{
    (void)state;
    struct live_counts counts = {0};
    const struct flow_batch batch = a_batch(77);
    live_counts_take(&counts, &batch);
    assert_int_equal(counts.branches, 0); /* the stretch may still be dropped */
    live_counts_settle(&counts, 0, true);
    assert_int_equal(counts.branches, 8);
    assert_int_equal(branches_at(&counts, KERNEL, 0), 4);
    assert_int_equal(branches_at(&counts, KERNEL + 0x44, 0), 2);
    assert_int_equal(branches_at(&counts, USER, CR3), 2);
    assert_int_equal(counts.nr_runs, 1);
    assert_int_equal(counts.runs[0].branches, 8);
    assert_true(counts.runs[0].user);
    assert_true(counts.user_known);
    assert_int_equal(counts.user_tsc, 77);
    assert_int_equal(counts.user_after, 4);
    live_counts_free(&counts);
}

static void a_stretch_that_comes_again_counts_once(void **state)
{
    (void)state;
    struct live_counts counts = {0};
    const struct flow_batch batch = a_batch(5);
    live_counts_take(&counts, &batch);
    live_counts_settle(&counts, 0, false);
    assert_int_equal(counts.branches, 0);
    assert_int_equal(counts.used, 0);
    live_counts_take(&counts, &batch);
    live_counts_settle(&counts, 0, true);
    assert_int_equal(counts.branches, 8);
    live_counts_free(&counts);
}

static void times_are_the_first_and_the_last(void **state)
{
    (void)state;
    struct live_counts counts = {0};
    for (uint64_t tsc = 10; tsc <= 30; tsc += 10) {
        const struct flow_batch batch = a_batch(tsc);
        live_counts_take(&counts, &batch);
    }
    live_counts_settle(&counts, 0, true);
    assert_int_equal(counts.first_tsc, 10);
    assert_int_equal(counts.last_tsc, 30);
    assert_int_equal(branches_at(&counts, KERNEL, 0), 12);
    for (size_t i = 0; i < counts.size; i++)
        assert_true(!counts.spots[i].branches || counts.spots[i].tsc == 10);
    live_counts_free(&counts);
}

static void what_has_names_is_forgotten(void **state)
{
    (void)state;
    struct live_counts counts = {0}, rest = {0};
    const struct flow_batch batch = a_batch(1);
    live_counts_take(&counts, &batch);
    live_counts_settle(&counts, 0, true);
    live_counts_put_spot(&rest, &(struct live_spot){.address = USER, .cr3 = CR3, .branches = 2});
    live_counts_replace(&counts, &rest);
    assert_int_equal(counts.used, 1);
    assert_int_equal(counts.nr_runs, 0);
    assert_int_equal(counts.branches, 8);
    live_counts_take(&counts, &batch);
    live_counts_settle(&counts, 0, true);
    assert_int_equal(branches_at(&counts, USER, CR3), 4);
    live_counts_free(&counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_belong_to_where_the_next_transfer_comes_from),
        cmocka_unit_test(a_stretch_that_comes_again_counts_once),
        cmocka_unit_test(times_are_the_first_and_the_last),
        cmocka_unit_test(what_has_names_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
