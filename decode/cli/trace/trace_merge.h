/* Merges the lists of all CPUs in the order of time; with equal times, the lower CPU comes first. */
#ifndef DECODE_CLI_TRACE_TRACE_MERGE_H
#define DECODE_CLI_TRACE_TRACE_MERGE_H

#include <stdbool.h>

#include "decode/cli/trace/trace_list.h"

/* List each CPU of the capture into list->file; list->cpu is ignored. false: error says why. */
bool trace_merge(struct trace_list *list, struct error *error);

#endif
