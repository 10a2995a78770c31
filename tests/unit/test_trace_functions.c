/* Lines of functions that are told when the trace is decoded to its end, and its decoder is gone: what stacks held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/cli/trace_functions.h"
#include "stacks_fixture.h"

static void test_behind_the_end(void **state)
{
    struct stacks_fixture *fixture = *state;
    const struct trace_options options = {
        .process = "none", .cr3 = 0x1000, .depth = ARGUMENT_NOT_GIVEN, .lines = ARGUMENT_NOT_GIVEN};
    struct flow_trace trace = {.pages = fixture->pages};
    const struct ask ask = {.names = fixture->names, .traces = &trace};
    struct trace_list list = {.options = &options, .ask = &ask, .to_tsc = UINT64_MAX, .begun = true};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_behind_the_end, stacks_set_up, stacks_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
