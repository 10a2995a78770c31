/* Callers and callees of a function, also where it calls itself through others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/profile/neighbours.h"

static const struct name main_ = {.begin = 0x1000, .symbol = "main", .number = 0};
static const struct name f = {.begin = 0x2000, .symbol = "f", .number = 1};
static const struct name g = {.begin = 0x3000, .symbol = "g", .number = 2};

struct fixture {
    struct profile profile;
    struct profile_cpu cpu;
    struct stack_hooks hooks;
    struct stack_frame frames[8];
    struct stack_task task;
    uint64_t tsc;
};

static void enter(struct fixture *x, const struct name *name, uint64_t branches)
{
    x->task.frames[x->task.depth++] = (struct stack_frame){.name = name, .entry = STACK_CALL};
    x->hooks.enter(x->hooks.context, &x->task, x->tsc);
    x->tsc += branches * 10;
    x->hooks.spend(x->hooks.context, &x->task, branches, x->tsc);
}

static void leave(struct fixture *x)
{
    x->hooks.leave(x->hooks.context, &x->task, x->tsc);
    x->task.depth--;
}

static const struct profile_neighbour *of(const struct profile_neighbour *items, size_t count, const struct name *name)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].name == name)
            return &items[i];
    fail_msg("no neighbour %s", name->symbol);
    return NULL;
}

/* main -> f -> g -> f -> g, and main -> g -> f. */
static void recursion_is_counted_once(void **state)
{
    struct fixture x = {.task = {.number = 1, .space = FLOW_CR3_UNKNOWN}, .tsc = 1000};
    struct profile_neighbours n;
    (void)state;
    assert_true(profile_init(&x.profile, NULL));
    x.hooks = profile_hooks(&x.cpu, &x.profile);
    x.task.frames = x.frames;
    x.hooks.spend(x.hooks.context, NULL, 0, x.tsc);
    enter(&x, &main_, 1);
    enter(&x, &f, 2);
    enter(&x, &g, 4);
    enter(&x, &f, 8);
    enter(&x, &g, 16);
    leave(&x);
    leave(&x);
    leave(&x);
    leave(&x);
    enter(&x, &g, 32);
    enter(&x, &f, 64);
    assert_true(profile_neighbours_find(&n, &x.profile, &f));
    assert_int_equal(n.nr_callers, 2);
    assert_int_equal(of(n.callers, 2, &main_)->calls, 1);
    assert_int_equal(of(n.callers, 2, &main_)->branches, 2 + 4 + 8 + 16);
    assert_int_equal(of(n.callers, 2, &g)->calls, 2);
    assert_int_equal(of(n.callers, 2, &g)->branches, 64);
    assert_int_equal(of(n.callers, 2, &g)->ticks, 640);
    assert_int_equal(n.nr_callees, 1);
    assert_int_equal(n.callees[0].calls, 2);
    assert_int_equal(n.callees[0].branches, 4 + 16); /* and 2 + 8 + 64 are f's own */
    profile_neighbours_free(&n);
    assert_true(profile_neighbours_find(&n, &x.profile, &main_));
    assert_int_equal(n.nr_callers, 1);
    assert_null(n.callers[0].name);
    assert_int_equal(n.callers[0].branches, 127);
    assert_int_equal(of(n.callees, n.nr_callees, &g)->branches, 32 + 64);
    profile_neighbours_free(&n);
    profile_free(&x.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion_is_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
