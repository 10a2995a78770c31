/* Shared by the commands that measure calls and tasks: latency, irqs, syscalls, sched, stack. */
#ifndef DECODE_CLI_OPTIONS_MEASURE_OPTIONS_H
#define DECODE_CLI_OPTIONS_MEASURE_OPTIONS_H

#include <stdbool.h>

#include "decode/cli/options/export_options.h"
#include "decode/measure/measured.h"

struct measure_options {
    struct export_options common;
    uint64_t lines; /* rows of a table */
    bool json;
};

/* Lines of the commands' help. */
#define MEASURE_USAGE                                                                                                  \
    "  --json              print one JSON object; times are in nanoseconds\n" NAMES_USAGE                              \
    "  --threads N         use N threads (default: one for each processor)\n"
#define MEASURE_CPU_USAGE "  --cpu N             only this CPU (default: all)\n"
#define MEASURE_WINDOW_USAGE                                                                                           \
    "  --time FROM-TO      only what begins in this time: seconds since the first TSC (1.5-1.6), or ticks\n"           \
    "                      (1000t-2000t); either side may be omitted\n"

/* The options that all of them have. */
#define MEASURE_ARGUMENTS(o)                                                                                           \
    ARGUMENT_CPU(&(o)->common.cpu), ARGUMENT_THREADS(&(o)->common.threads), NAMES_OPTIONS(&(o)->common.names),         \
    {                                                                                                                  \
        "json", ARGUMENT_FLAG, &(o)->json, 0                                                                           \
    }
#define MEASURE_DEFAULTS                                                                                               \
    {                                                                                                                  \
        .common = {.cpu = ARGUMENT_NOT_GIVEN}, .lines = 40                                                             \
    }

/* As export_begin, and set the window in which calls count. The caller calls export_close in both cases. */
bool measure_begin(struct measure *measure, struct calls_run *run, const char *command,
                   struct measure_options *options);

#endif
