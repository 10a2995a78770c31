/* Open calls: their times on a CPU and elapsed, across switches, gaps and the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/measure/open_calls.h"

static const struct name outer = {.symbol = "outer", .number = 0}, inner = {.symbol = "inner", .number = 1};

/* The last call that ended, and how often each hook was called. */
struct seen {
    uint64_t begin, end, clock;
    unsigned returned, left, stopped;
    uint64_t ran;
};

struct fixture {
    struct open_calls *calls;
    struct stack_hooks cpus[2];
    struct stack_frame frames[2][4];
    struct stack_task tasks[2];
    struct seen seen;
};

static void on_return(void *context, struct open_task *task, uint64_t tsc)
{
    struct seen *seen = context;
    const struct open_call *call = open_calls_top(task);
    seen->begin = call->begin;
    seen->end = tsc;
    seen->clock = task->clock - call->clock;
    seen->returned++;
}

static void on_leave(void *context, struct open_task *task, uint64_t tsc)
{
    (void)task;
    (void)tsc;
    ((struct seen *)context)->left++;
}

static void on_stop(void *context, struct open_task *task, uint64_t tsc)
{
    struct seen *seen = context;
    seen->ran = tsc - task->since;
    seen->stopped++;
}

static void open_fixture(struct fixture *f)
{
    *f = (struct fixture){0};
    const struct open_hooks hooks = {.returns = on_return, .leaves = on_leave, .stops = on_stop, .context = &f->seen};
    f->calls = open_calls_new(&hooks);
    assert_non_null(f->calls);
    f->calls->to = UINT64_MAX;
    for (unsigned i = 0; i < 2; i++) {
        f->cpus[i] = open_calls_hooks(f->calls, (uint16_t)i);
        f->tasks[i] = (struct stack_task){.number = i + 1, .space = FLOW_CR3_UNKNOWN, .frames = f->frames[i]};
    }
}

static void enter(struct fixture *f, unsigned cpu, struct stack_task *task, const struct name *name, uint64_t tsc)
{
    task->frames[task->depth++] = (struct stack_frame){.name = name, .entry = STACK_CALL};
    f->cpus[cpu].enter(f->cpus[cpu].context, task, tsc);
}

static void leave(struct fixture *f, unsigned cpu, struct stack_task *task, uint64_t tsc)
{
    f->cpus[cpu].leave(f->cpus[cpu].context, task, tsc);
    task->depth--;
}

static void spend(struct fixture *f, unsigned cpu, struct stack_task *task, uint64_t tsc)
{
    f->cpus[cpu].spend(f->cpus[cpu].context, task, 1, tsc);
}

static void run(struct fixture *f, unsigned cpu, struct stack_task *task, uint64_t tsc)
{
    f->cpus[cpu].run(f->cpus[cpu].context, task, tsc);
}

static void a_call_runs_only_while_its_task_does(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    struct stack_task *a = &f.tasks[0], *b = &f.tasks[1];
    run(&f, 0, a, 1000);
    spend(&f, 0, a, 1000);
    enter(&f, 0, a, &outer, 1000);
    spend(&f, 0, a, 1100);
    enter(&f, 0, a, &inner, 1100);
    spend(&f, 0, a, 1150);
    run(&f, 0, b, 1150);
    assert_int_equal(f.seen.ran, 150);
    enter(&f, 0, b, &outer, 1150);
    spend(&f, 0, b, 1950);
    spend(&f, 1, NULL, 1950);
    run(&f, 1, a, 1950); /* it continues on the other CPU */
    spend(&f, 1, a, 2000);
    leave(&f, 1, a, 2000);
    assert_int_equal(f.seen.begin, 1100);
    assert_int_equal(f.seen.end, 2000);
    assert_int_equal(f.seen.clock, 50 + 50);
    spend(&f, 1, a, 2010);
    leave(&f, 1, a, 2010);
    assert_int_equal(f.seen.end - f.seen.begin, 1010);
    assert_int_equal(f.seen.clock, 210);
    open_calls_free(f.calls);
}

static void a_gap_leaves_the_tasks_of_other_cpus(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    struct stack_task *a = &f.tasks[0], *b = &f.tasks[1];
    run(&f, 0, a, 1000);
    enter(&f, 0, a, &outer, 1000);
    run(&f, 1, b, 1000);
    enter(&f, 1, b, &outer, 1000);
    f.cpus[0].lost(f.cpus[0].context, 1500);
    assert_int_equal(f.seen.left, 1);
    assert_int_equal(f.seen.stopped, 1);
    spend(&f, 1, b, 1600);
    leave(&f, 1, b, 1600);
    assert_int_equal(f.seen.returned, 1);
    assert_int_equal(f.seen.end, 1600);
    open_calls_free(f.calls);
}

static void what_is_open_at_the_end_has_not_returned(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    struct stack_task *a = &f.tasks[0];
    run(&f, 0, a, 1000);
    enter(&f, 0, a, &outer, 1000);
    enter(&f, 0, a, &inner, 1200);
    spend(&f, 0, a, 1300);
    f.cpus[0].finish(f.cpus[0].context, 1300);
    leave(&f, 0, a, 1300); /* the stacks leave all frames */
    leave(&f, 0, a, 1300);
    assert_int_equal(f.seen.returned, 0);
    assert_int_equal(f.seen.left, 1);
    const struct open_cpu *cpu = &f.calls->cpus[0];
    assert_true(cpu->ended);
    assert_non_null(cpu->task);
    assert_int_equal(cpu->task->depth, 2);
    assert_ptr_equal(cpu->task->calls[1].name, &inner);
    open_calls_free(f.calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_runs_only_while_its_task_does),
        cmocka_unit_test(a_gap_leaves_the_tasks_of_other_cpus),
        cmocka_unit_test(what_is_open_at_the_end_has_not_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
