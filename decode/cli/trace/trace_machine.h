/* For undertrace trace: the lists of all CPUs in one order of time. With equal times, the lower CPU comes first. */
#ifndef DECODE_CLI_TRACE_TRACE_MACHINE_H
#define DECODE_CLI_TRACE_TRACE_MACHINE_H

#include <stdbool.h>

#include "decode/cli/trace/trace_list.h"

/* List every CPU of the capture into list->file; list->cpu is ignored. false: error says why. */
bool trace_machine(struct trace_list *list, struct error *error);

#endif
