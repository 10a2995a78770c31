#include "decode/profile/label.h"

#include <inttypes.h>

#include "decode/engine/flow.h"

const char *label_text(char text[LABEL_SIZE], const struct name *name)
{
    if (name->symbol)
        snprintf(text, LABEL_SIZE, "%s", name->shown);
    else if (name->object)
        snprintf(text, LABEL_SIZE, "%s %#" PRIx64, name->object, name->begin);
    else
        snprintf(text, LABEL_SIZE, "%#" PRIx64, name->begin);
    return text;
}

const char *label_object(const struct name *name)
{
    return name->object ? name->object : "[unknown]";
}

const char *label_space(char text[LABEL_SIZE], uint64_t space)
{
    if (space == FLOW_CR3_UNKNOWN)
        snprintf(text, LABEL_SIZE, "kernel tasks");
    else
        snprintf(text, LABEL_SIZE, "CR3 %#" PRIx64, space);
    return text;
}

const char *label_process(char text[LABEL_SIZE], const struct profile_process *process)
{
    char space[LABEL_SIZE];
    if (process->task)
        snprintf(text, LABEL_SIZE, "%s", process->task->text);
    else if (process->name)
        snprintf(text, LABEL_SIZE, "%.400s (%.100s)", process->name, label_space(space, process->space));
    else
        label_space(text, process->space);
    return text;
}

const char *label_thread(char text[LABEL_SIZE], const struct name_thread *thread)
{
    if (thread->tid == thread->process->pid)
        snprintf(text, LABEL_SIZE, "%s", thread->text);
    else
        snprintf(text, LABEL_SIZE, "%s of %s", thread->text, thread->process->text);
    return text;
}
