/* What differs between the tasks of two boots, as text and as JSON. */
#ifndef DECODE_CLI_TEXT_ALIGN_TEXT_H
#define DECODE_CLI_TEXT_ALIGN_TEXT_H

#include "decode/align/align.h"
#include "decode/query/indexed_capture.h"

struct align_view {
    const struct indexed_capture *captures[2];
    const struct boot_calls *boots[2];
    const struct alignment *alignment;
    const struct calls_clock *clocks[2];
    uint64_t lines; /* at most so many calls of each pair of tasks */
};

/* Did a task do something else, or a function handle interrupts, in only one of
 * them? */
bool align_differs(const struct align_view *view);

void align_print(const struct align_view *view);

/* The members "tasks" and "interrupts" of an object, without a comma after
 * them. */
void align_json(const struct align_view *view);

#endif
