#include "decode/measure/syscalls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum syscalls_class { CLASS_OTHER = 1, CLASS_CALL };

/* The user field of an open call: what is measured. */
enum { NOT_MEASURED, IS_CALL, HAS_CALL }; /* HAS_CALL: of an entry: the function of its call was entered */

static uint32_t classify(void *context, const struct name *name)
{
    (void)context;
    return name->symbol && (!strncmp(name->symbol, "__x64_sys_", 10) || !strncmp(name->symbol, "__ia32_sys_", 11))
               ? CLASS_CALL
               : CLASS_OTHER;
}

static const char *process_text(char text[ROW_TEXT_SIZE], const struct measure *measure, const struct open_task *task)
{
    const char *process = task->thread ? task->thread->process->text : measure_process(measure, task);
    if (process)
        snprintf(text, ROW_TEXT_SIZE, "%s", process);
    else if (task->space == FLOW_CR3_UNKNOWN)
        snprintf(text, ROW_TEXT_SIZE, "kernel tasks");
    else
        snprintf(text, ROW_TEXT_SIZE, "CR3 %#" PRIx64, task->space);
    return text;
}

static void on_begin(void *context, struct open_task *task, uint64_t tsc)
{
    struct syscalls *syscalls = context;
    struct open_call *call = open_calls_top(task);
    (void)tsc;
    if (name_class(&syscalls->classes, call->name) != CLASS_CALL)
        return;
    call->user = IS_CALL;
    for (size_t depth = task->depth - 1; depth-- > 0;)
        if (task->calls[depth].entry == STACK_SYSCALL) {
            task->calls[depth].user = HAS_CALL;
            return;
        }
}

static bool is_measured(const struct open_call *call)
{
    return call->user == IS_CALL || (call->entry == STACK_SYSCALL && call->user != HAS_CALL);
}

/* Add to each of the three tables. returned: at tsc; otherwise it is not seen to return. */
static void add(struct syscalls *syscalls, const struct open_task *task, const struct open_call *call, bool returned,
                uint64_t tsc)
{
    char text[ROW_TEXT_SIZE];
    if (!measure_has(&syscalls->measure, call->begin))
        return;
    process_text(text, &syscalls->measure, task);
    struct measure_row *rows[] = {measure_rows_find(&syscalls->pairs, text, call->name),
                                  measure_rows_find(&syscalls->calls, "", call->name),
                                  measure_rows_find(&syscalls->processes, text, NULL)};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i] && returned)
            measured_add(&rows[i]->measured[0], &syscalls->measure, task, call, tsc, false);
        else if (rows[i])
            measured_leave(&rows[i]->measured[0], &syscalls->measure, task, call, false);
    }
}

static void on_return(void *context, struct open_task *task, uint64_t tsc)
{
    if (is_measured(open_calls_top(task)))
        add(context, task, open_calls_top(task), true, tsc);
}

static void on_leave(void *context, struct open_task *task, uint64_t tsc)
{
    for (size_t depth = 0; depth < task->depth; depth++)
        if (is_measured(&task->calls[depth]))
            add(context, task, &task->calls[depth], false, tsc);
}

bool syscalls_collect(struct syscalls *syscalls, struct calls_run *run, struct error *error)
{
    const struct open_hooks hooks = {.begins = on_begin, .returns = on_return, .leaves = on_leave, .context = syscalls};
    syscalls->classes = (struct name_classes){.classify = classify};
    return open_calls_decode(&hooks, run, syscalls->measure.from, error) &&
           (!(syscalls->pairs.no_memory || syscalls->calls.no_memory || syscalls->processes.no_memory) ||
            error_set(error, ERROR_MEMORY, 0, "the system calls' times"));
}

void syscalls_free(struct syscalls *syscalls)
{
    measure_rows_free(&syscalls->pairs);
    measure_rows_free(&syscalls->calls);
    measure_rows_free(&syscalls->processes);
    name_classes_free(&syscalls->classes);
}
