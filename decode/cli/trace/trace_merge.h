/* The lists of all CPUs as one, in the order of their times; of lines of one time, the lower CPU's come first. */
#ifndef DECODE_CLI_TRACE_TRACE_MERGE_H
#define DECODE_CLI_TRACE_TRACE_MERGE_H

#include <stdbool.h>

#include "decode/cli/trace/trace_list.h"

/* List every CPU of the capture into list->file; nothing of list->cpu counts. false: error says why. */
bool trace_merge(struct trace_list *list, struct error *error);

#endif
