/* Inside of undertrace trace: one CPU's list, of what is wanted. */
#ifndef DECODE_CLI_TRACE_TRACE_CPU_H
#define DECODE_CLI_TRACE_TRACE_CPU_H

#include "decode/cli/trace/trace_list.h"

/* List list->cpu, as options have it. false: error says why. */
bool trace_cpu(struct trace_list *list, struct error *error);

#endif
