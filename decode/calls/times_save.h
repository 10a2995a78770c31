/*
 * The state of times between two events as bytes, so that a later pass begins there. It does not depend on the window:
 * what a listener knows is not in it.
 */
#ifndef DECODE_CALLS_TIMES_SAVE_H
#define DECODE_CALLS_TIMES_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/calls/times.h"
#include "decode/capture/pack.h"
#include "decode/names/names_save.h"

/* Number of held events: what saving costs most for. */
uint64_t times_held(const struct times *times);

/* The latest emitted time of all CPUs. */
uint64_t times_latest(const struct times *times);

void times_save(const struct times *times, const struct names *names, const struct names_pages *pages,
                struct pack *pack);

/* After times_hooks of the same CPUs in the same order, before the first event. false: the bytes are not valid, or
 * memory ran out. */
bool times_load(struct times *times, const struct names *names, const struct names_pages *pages, struct packed *packed);

/* What struct stack_task.user of a task has to be, by its number; for struct stacks_set. times: struct times. */
uint64_t times_user_of(void *times, uint32_t number);

/* The earliest and the latest emitted time. */
void times_span(const struct times *times, uint64_t *first, uint64_t *last);

/* For listeners that need what came before, too: call a function for each task of which events were emitted, the oldest
 * first. Its calls are not entered for the listener any more. false: no memory. */
bool times_each_known(struct times *times, void (*take)(void *context, const struct times_known *known), void *context);

/* And for each CPU, with the context of the listener's hooks: the latest time, and whether a gap came after it. Its
 * task counts as one that the listener knows to run. */
void times_each_cpu(struct times *times, void (*take)(void *context, void *cpu, uint64_t tsc, bool lost),
                    void *context);

#endif
