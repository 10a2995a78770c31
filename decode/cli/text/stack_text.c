#include "decode/cli/text/stack_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/text/measure_text.h"
#include "decode/report/json.h"

const char *open_entry_text(enum stack_entry entry)
{
    static const char *const texts[] = {
        [STACK_BASE] = "under way",      [STACK_CALL] = "",         [STACK_INTERRUPT] = "interrupt",
        [STACK_SYSCALL] = "system call", [STACK_SIGNAL] = "signal", [STACK_TAIL] = "jump"};
    return texts[entry];
}

void open_calls_print(const struct measure *measure, const struct open_task *task, uint64_t tsc, uint64_t most)
{
    for (size_t i = 0; i < task->depth; i++) {
        const struct open_call *call = &task->calls[task->depth - 1 - i];
        char name[FUNCTION_TEXT_SIZE], at[SPAN_TEXT_SIZE], before[SPAN_TEXT_SIZE];
        if (i == most) {
            printf("  and %zu more, up to %s\n", task->depth - i, function_text(name, task->calls[0].name));
            return;
        }
        printf("  #%-3zu %-44.44s %-11s %18s %9s\n", i, function_text(name, call->name), open_entry_text(call->entry),
               moment_text(at, measure, call->begin), ticks_text(before, measure, tsc - call->begin));
    }
}

void open_task_json(const struct measure *measure, const struct open_task *task, uint64_t tsc)
{
    char text[TASK_TEXT_SIZE];
    json_string(stdout, "task", measure_task_text(text, measure, task), ", ");
    json_figure(stdout, "number", figure_of(task->number), ", ");
    if (task->space == FLOW_CR3_UNKNOWN)
        fputs("\"cr3\": null, ", stdout);
    else
        printf("\"cr3\": \"%" PRIx64 "\", ", task->space);
    fputs("\"frames\": [", stdout);
    for (size_t i = task->depth; i-- > 0;) {
        const struct open_call *call = &task->calls[i];
        fputs(i + 1 < task->depth ? ",\n    {" : "\n    {", stdout);
        function_json(call->name);
        json_string(stdout, "entered_by", call->entry == STACK_CALL ? "call" : open_entry_text(call->entry), ", ");
        json_figure(stdout, "at", figure_of(calls_nanoseconds(&measure->run->clock, call->begin)), ", ");
        json_figure(stdout, "for", figure_of(measure_length(measure, tsc - call->begin)), "}");
    }
    fputs("]", stdout);
}
