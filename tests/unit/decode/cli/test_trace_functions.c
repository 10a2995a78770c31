/* Lines of functions: those that are printed when the trace is decoded to its end, and its decoder is gone; and which
 * tasks are still in a wanted function when they continue on several CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/cli/trace/trace_functions.h"
#include "tests/unit/decode/stack/stacks_fixture.h"

static void test_after_the_end(void **state)
{
    struct stacks_fixture *fixture = *state;
    const struct trace_options options = {
        .process = "none", .cr3 = 0x1000, .depth = ARGUMENT_NOT_GIVEN, .lines = ARGUMENT_NOT_GIVEN};
    struct flow_trace trace = {.pages = fixture->pages};
    const struct indexed_capture indexed = {.names = fixture->names, .traces = &trace};
    struct trace_list list = {.options = &options, .indexed = &indexed, .to_tsc = UINT64_MAX, .begun = true};
    struct trace_functions functions;
    char *text = NULL;
    size_t size;
    list.file = open_memstream(&text, &size);
    const struct stack_hooks hooks = trace_functions_hooks(&functions, &list);
    struct stack_frame frame = {.name = names_find(fixture->names, &fixture->pages, 0x1000, 5, READ),
                                .entry = STACK_CALL};
    struct stack_task task = {
        .number = 1, .space = 0x1000, .frames = &frame, .depth = 1, .pages = &fixture->pages, .at = 5};
    hooks.enter(hooks.context, &task, 0);
    fclose(list.file);
    assert_non_null(strstr(text, "0x1000"));
    assert_non_null(strstr(text, "read"));
    free(text);
}

/* Two CPUs of a machine, of which --function names read; what they list goes nowhere. */
struct two_cpus {
    struct trace_options options;
    struct flow_trace trace;
    struct indexed_capture indexed;
    struct trace_list lists[2];
    struct trace_functions functions[2];
    struct stack_hooks hooks[2];
    struct stack_frame frames[2][2];
    struct stack_task tasks[2]; /* write calls read */
};

static void two_cpus_open(struct two_cpus *two, struct stacks_fixture *fixture)
{
    *two = (struct two_cpus){.options = {.function = "read", .cr3 = FLOW_CR3_UNKNOWN, .depth = ARGUMENT_NOT_GIVEN},
                             .trace = {.pages = fixture->pages},
                             .indexed = {.names = fixture->names, .traces = &two->trace}};
    for (unsigned i = 0; i < 2; i++) {
        two->lists[i] = (struct trace_list){.options = &two->options,
                                            .indexed = &two->indexed,
                                            .to_tsc = UINT64_MAX,
                                            .begun = true,
                                            .function.pattern = "read",
                                            .file = fopen("/dev/null", "w")};
        two->hooks[i] = trace_functions_hooks(&two->functions[i], &two->lists[i]);
        two->frames[i][0].name = names_find(fixture->names, &fixture->pages, 0x1000, 5, WRITE);
        two->frames[i][1].name = names_find(fixture->names, &fixture->pages, 0x1000, 5, READ);
        two->tasks[i] = (struct stack_task){
            .number = i + 1, .space = 0x1000, .frames = two->frames[i], .depth = 1, .pages = &fixture->pages, .at = 5};
    }
    trace_functions_share(&two->functions[1], &two->functions[0]);
}

static void two_cpus_close(struct two_cpus *two)
{
    for (unsigned i = 0; i < 2; i++) {
        fclose(two->lists[i].file);
        wanted_functions_free(&two->lists[i].function);
    }
}

static void enter_read(struct two_cpus *two, unsigned cpu, unsigned task)
{
    two->hooks[cpu].run(two->hooks[cpu].context, &two->tasks[task], 0);
    two->hooks[cpu].enter(two->hooks[cpu].context, &two->tasks[task], 0);
    two->tasks[task].depth = 2;
    two->hooks[cpu].enter(two->hooks[cpu].context, &two->tasks[task], 0);
}

static void test_a_function_returns_on_another_cpu(void **state)
{
    struct two_cpus two;
    two_cpus_open(&two, *state);
    enter_read(&two, 0, 0);
    assert_true(trace_functions_open(&two.functions[0]) && trace_functions_open(&two.functions[1]));
    two.hooks[0].run(two.hooks[0].context, NULL, 0);
    two.hooks[1].run(two.hooks[1].context, &two.tasks[0], 0);
    assert_true(trace_functions_open(&two.functions[0]));
    two.hooks[1].leave(two.hooks[1].context, &two.tasks[0], 0);
    assert_false(trace_functions_open(&two.functions[0]) || trace_functions_open(&two.functions[1]));
    assert_int_equal(two.lists[0].lines, 1);
    two_cpus_close(&two);
}

static void test_a_task_ends_in_the_function(void **state)
{
    struct two_cpus two;
    two_cpus_open(&two, *state);
    enter_read(&two, 1, 0);
    two.hooks[1].end(two.hooks[1].context, &two.tasks[0], 0);
    assert_false(trace_functions_open(&two.functions[0]));
    two_cpus_close(&two);
}

static void test_after_a_gap_the_other_cpu_continues(void **state)
{
    struct two_cpus two;
    two_cpus_open(&two, *state);
    enter_read(&two, 0, 0);
    enter_read(&two, 1, 1);
    two.hooks[1].lost(two.hooks[1].context, 0);
    assert_true(trace_functions_open(&two.functions[1]));
    two.hooks[0].leave(two.hooks[0].context, &two.tasks[0], 0);
    assert_false(trace_functions_open(&two.functions[1]));
    two_cpus_close(&two);
}

/* One that waits may have returned in the gap. */
static void test_after_a_gap_waiting_tasks_are_not_known(void **state)
{
    struct two_cpus two;
    two_cpus_open(&two, *state);
    enter_read(&two, 0, 0);
    two.hooks[0].run(two.hooks[0].context, NULL, 0);
    two.hooks[1].lost(two.hooks[1].context, 0);
    assert_false(trace_functions_open(&two.functions[0]));
    two_cpus_close(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STACKS_TEST(test_after_the_end),
        STACKS_TEST(test_a_function_returns_on_another_cpu),
        STACKS_TEST(test_a_task_ends_in_the_function),
        STACKS_TEST(test_after_a_gap_the_other_cpu_continues),
        STACKS_TEST(test_after_a_gap_waiting_tasks_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
