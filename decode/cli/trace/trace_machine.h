/*
 * For undertrace trace: functions of all CPUs in one order of time, with the call stacks of one machine: a task that
 * leaves one CPU continues on another.
 */
#ifndef DECODE_CLI_TRACE_TRACE_MACHINE_H
#define DECODE_CLI_TRACE_TRACE_MACHINE_H

#include <stdbool.h>

#include "decode/cli/trace/trace_list.h"

/* Can the list be made this way? Only functions, and not with --address, which skips callers, nor with --from and --to,
 * which begin and end each CPU's list separately. */
bool trace_machine_can(const struct trace_list *list);

/* List every CPU of the capture into list->file. false: error says why. */
bool trace_machine(struct trace_list *list, struct error *error);

#endif
