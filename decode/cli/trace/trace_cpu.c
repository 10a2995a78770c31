/* Inside of undertrace trace: one CPU's list. */
#include "decode/cli/trace/trace_cpu.h"

bool trace_cpu(struct trace_list *list, struct error *error)
{
    list->begun = !list->from.pattern;
    list->done = list->lines >= list->options->lines;
    return list->options->what == TRACE_FUNCTIONS ? trace_functions(list, error) : trace_branches(list, error);
}
