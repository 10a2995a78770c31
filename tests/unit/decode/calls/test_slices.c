/* Calls over time: their times, which are kept, which are merged, and that all are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/calls/slices.h"
#include "decode/calls/times.h"

static const struct name outer = {.begin = 0x1000, .end = 0x2000, .symbol = "outer", .number = 0};
static const struct name inner = {.begin = 0x2000, .end = 0x3000, .symbol = "inner", .number = 1};
static const struct name halt = {.begin = 0x3000, .end = 0x4000, .symbol = "default_idle", .number = 2};

/* A task of the stacks, and its listener. */
struct fixture {
    struct stack_frame frames[8];
    struct stack_task task;
    struct times *times;
    struct stack_hooks hooks;
    struct slices slices;
    struct slices_cpu cpu;
};

static void open_fixture(struct fixture *f, struct times_window window, size_t most)
{
    *f = (struct fixture){.task = {.number = 1, .space = FLOW_CR3_UNKNOWN}};
    f->task.frames = f->frames;
    f->times = times_open(window);
    assert_non_null(f->times);
    slices_init(&f->slices, NULL, most, 1, true);
    const struct stack_hooks listener = slices_hooks(&f->cpu, &f->slices, 0);
    f->hooks = times_hooks(f->times, &listener);
    f->hooks.run(f->hooks.context, &f->task, 0);
}

static void close_fixture(struct fixture *f)
{
    times_close(f->times);
    slices_free(&f->slices);
}

static void spend(struct fixture *f, uint64_t branches, uint64_t tsc)
{
    f->hooks.spend(f->hooks.context, &f->task, branches, tsc);
}

static void enter(struct fixture *f, const struct name *name, enum stack_entry entry, uint64_t tsc)
{
    f->frames[f->task.depth++] = (struct stack_frame){.name = name, .entry = entry};
    f->hooks.enter(f->hooks.context, &f->task, tsc);
}

static void leave(struct fixture *f, uint64_t tsc)
{
    f->hooks.leave(f->hooks.context, &f->task, tsc);
    f->task.depth--;
}

static void end(struct fixture *f)
{
    assert_true(times_end(f->times));
    slices_end_cpu(&f->cpu);
    slices_end(&f->slices);
    assert_false(f->slices.no_memory);
}

static const struct slice *slice_of(const struct fixture *f, const struct name *name)
{
    for (size_t i = 0; i < f->slices.count; i++)
        if (f->slices.items[i].entry != SLICE_TASK && f->slices.items[i].name == name->number)
            return &f->slices.items[i];
    fail_msg("no slice of %s", name->symbol);
    return NULL;
}

static void time_is_spread_over_the_branches(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, TIMES_ALL, 1024);
    spend(&f, 0, 1000);
    enter(&f, &outer, STACK_BASE, 1000);
    spend(&f, 25, 1000);
    enter(&f, &inner, STACK_CALL, 1000);
    spend(&f, 50, 1000);
    leave(&f, 1000);
    spend(&f, 25, 2000);
    leave(&f, 2000);
    end(&f);
    assert_int_equal(slice_of(&f, &outer)->begin, 1000);
    assert_int_equal(slice_of(&f, &outer)->end, 2000);
    assert_int_equal(slice_of(&f, &inner)->begin, 1250);
    assert_int_equal(slice_of(&f, &inner)->end, 1750);
    assert_int_equal(slice_of(&f, &inner)->depth, slice_of(&f, &outer)->depth + 1);
    close_fixture(&f);
}

static void a_halt_takes_what_branches_do_not_need(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, TIMES_ALL, 1024);
    spend(&f, 0, 1000);
    enter(&f, &halt, STACK_BASE, 1000);
    spend(&f, 100, 1100); /* one tick for each branch */
    spend(&f, 50, 1100);
    enter(&f, &inner, STACK_INTERRUPT, 1100);
    spend(&f, 50, 1100);
    leave(&f, 1100);
    spend(&f, 0, 5100);
    end(&f);
    assert_int_equal(slice_of(&f, &inner)->begin, 1100 + 50 + 3900);
    assert_int_equal(slice_of(&f, &inner)->end, 5100);
    close_fixture(&f);
}

static void a_window_enters_what_runs(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, (struct times_window){.from = 1500, .to = 2500}, 1024);
    spend(&f, 0, 1000);
    enter(&f, &outer, STACK_BASE, 1000);
    spend(&f, 100, 2000);
    enter(&f, &inner, STACK_CALL, 2000);
    spend(&f, 100, 3000);
    leave(&f, 3000);
    end(&f);
    assert_true(slice_of(&f, &outer)->begin >= 1500 && slice_of(&f, &outer)->begin <= 2000);
    assert_int_equal(slice_of(&f, &inner)->begin, 2000);
    assert_true(slice_of(&f, &inner)->end <= 2500);
    close_fixture(&f);
}

static void branches_are_the_time_without_tsc(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, (struct times_window){.to = UINT64_MAX, .by_branches = true}, 1024);
    enter(&f, &outer, STACK_BASE, 0);
    spend(&f, 30, 0);
    enter(&f, &inner, STACK_CALL, 0);
    spend(&f, 12, 0);
    leave(&f, 0);
    end(&f);
    assert_int_equal(slice_of(&f, &inner)->begin, 30);
    assert_int_equal(slice_of(&f, &inner)->end, 42);
    close_fixture(&f);
}

static void the_longest_are_kept_and_all_are_counted(void **state)
{
    struct fixture f;
    uint64_t tsc = 1000, merged = 0, ticks = 0, calls = 0;
    (void)state;
    open_fixture(&f, TIMES_ALL, 1024);
    spend(&f, 0, tsc);
    enter(&f, &outer, STACK_BASE, tsc);
    for (uint64_t i = 0; i < 5000; i++) {
        enter(&f, &inner, STACK_CALL, tsc);
        spend(&f, 1, tsc += i % 100);
        leave(&f, tsc);
        spend(&f, 1, tsc += 1);
    }
    end(&f);
    for (size_t i = 0; i < f.slices.count; i++) {
        const struct slice *slice = &f.slices.items[i];
        calls += slice->entry == STACK_CALL;
        ticks += slice->entry == STACK_CALL ? slice->end - slice->begin : 0;
        assert_true(slice->end - slice->begin >= f.slices.least);
    }
    merged = slice_of(&f, &outer)->merged;
    assert_in_range(f.slices.count, 100, 1024);
    assert_int_equal(calls + merged, 5000);
    assert_int_equal(f.slices.merged, merged);
    assert_int_equal(ticks + slice_of(&f, &outer)->merged_ticks, 5000 / 100 * (99 * 100 / 2));
    close_fixture(&f);
}

static void a_gap_ends_what_is_open(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, TIMES_ALL, 1024);
    spend(&f, 0, 1000);
    enter(&f, &outer, STACK_BASE, 1000);
    spend(&f, 10, 2000);
    f.hooks.lost(f.hooks.context, 2000);
    end(&f);
    assert_int_equal(slice_of(&f, &outer)->end, 2000);
    assert_int_equal(f.slices.nr_lost, 1);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_spread_over_the_branches),
        cmocka_unit_test(a_halt_takes_what_branches_do_not_need),
        cmocka_unit_test(a_window_enters_what_runs),
        cmocka_unit_test(branches_are_the_time_without_tsc),
        cmocka_unit_test(the_longest_are_kept_and_all_are_counted),
        cmocka_unit_test(a_gap_ends_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
