/*
 * What is measured of calls of one kind: number, elapsed time, and time on a CPU. All commands that print latencies
 * fill one of these for each line. Pure.
 */
#ifndef DECODE_MEASURE_MEASURED_H
#define DECODE_MEASURE_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/measure/distribution.h"
#include "decode/measure/open_calls.h"
#include "decode/measure/slowest.h"

struct measured {
    uint64_t begun;      /* calls that began in the window */
    uint64_t unfinished; /* those of them that are not seen to return before the window's end */
    /* Ticks, of those that returned: from entry to return. Time in which their tasks did not run is included. */
    uint64_t elapsed;
    /* Ticks in which their tasks ran on a CPU, of those that did not return, too. What a call spends in a nested call
     * of the same kind is counted once. This is the total of `undertrace report`. */
    uint64_t running;
    struct distribution times; /* elapsed time of each call that returned, in nanoseconds (or branches) */
    struct slowest slowest;
};

/* Shared by all that is measured in one run. */
struct measure {
    const struct calls_run *run;
    uint64_t from, to; /* calls that begin in this window count */
};

static inline bool measure_has(const struct measure *measure, uint64_t begin)
{
    return begin >= measure->from && begin < measure->to;
}

/* A length in nanoseconds; branches stay branches. */
uint64_t measure_length(const struct measure *measure, uint64_t ticks);

/* Add what took so long; measured->running is left as it is. */
void measured_take(struct measured *measured, const struct measure *measure, const struct slow_call *call);

/* A call returns at tsc. nested: it is within another one of its kind. */
void measured_add(struct measured *measured, const struct measure *measure, const struct open_task *task,
                  const struct open_call *call, uint64_t tsc, bool nested);

/* A call is not seen to return. */
void measured_leave(struct measured *measured, const struct measure *measure, const struct open_task *task,
                    const struct open_call *call, bool nested);
void measured_free(struct measured *measured);

/* What a task is, in any case: "bash (123)", "CR3 0x1234000", "kernel task 5: kswapd" by the function of its thread.
 * Returns text. */
#define TASK_TEXT_SIZE 96u
const char *measure_task_text(char text[TASK_TEXT_SIZE], const struct measure *measure, const struct open_task *task);

/* What a task is, as text: its thread, process or program. NULL: not known. Valid as long as the names. */
const char *measure_process(const struct measure *measure, const struct open_task *task);

#endif
