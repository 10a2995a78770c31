/*
 * Inside of undertrace trace: functions of all CPUs in one order of time, as call stacks of one machine: a task that
 * leaves one CPU goes on on another.
 */
#ifndef DECODE_CLI_TRACE_TRACE_MACHINE_H
#define DECODE_CLI_TRACE_TRACE_MACHINE_H

#include <stdbool.h>

#include "decode/cli/trace/trace_list.h"

/* Functions are. Not with --address, which leaves out what led to them, and where each CPU has a beginning and an end
 * of its own (--from, --to). */
bool trace_machine_can(const struct trace_list *list);

/* List every CPU of the capture into list->file. false: error says why. */
bool trace_machine(struct trace_list *list, struct error *error);

#endif
