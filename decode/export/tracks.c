#include "decode/export/tracks.h"

#include <inttypes.h>

const char *task_text(char text[LABEL_SIZE], const struct slice_task *task)
{
    char space[LABEL_SIZE], thread[LABEL_SIZE];
    const char *name = task->thread ? label_thread(thread, task->thread) : task->name;
    if (task->space == FLOW_CR3_UNKNOWN)
        snprintf(text, LABEL_SIZE, "kernel task %" PRIu32, task->number);
    else
        snprintf(text, LABEL_SIZE, "%.300s, task %" PRIu32 " of %.100s", name ? name : "[unknown]", task->number,
                 label_space(space, task->space));
    return text;
}

const char *track_text(char text[LABEL_SIZE], const struct slices *slices, const struct slice_track *track)
{
    if (track->task != SLICE_NO_TASK)
        return task_text(text, &slices->tasks[track->task]);
    snprintf(text, LABEL_SIZE, "CPU %" PRIu32, track->cpu);
    return text;
}

const char *track_slice_text(char text[LABEL_SIZE], const struct slices *slices, const struct names *names,
                             const struct slice *slice)
{
    return slice->entry == SLICE_TASK ? task_text(text, &slices->tasks[slice->name])
                                      : label_text(text, names_by_number(names, slice->name));
}

const char *track_slice_kind(const struct slice *slice)
{
    static const char *const kinds[] = {
        [STACK_BASE] = "base",       [STACK_CALL] = "call",     [STACK_INTERRUPT] = "interrupt",
        [STACK_SYSCALL] = "syscall", [STACK_SIGNAL] = "signal", [STACK_TAIL] = "jump"};
    return slice->entry < sizeof(kinds) / sizeof(kinds[0]) ? kinds[slice->entry] : "task";
}
