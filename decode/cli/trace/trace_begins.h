/* For undertrace trace --returns: when each open call began. */
#ifndef DECODE_CLI_TRACE_TRACE_BEGINS_H
#define DECODE_CLI_TRACE_TRACE_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared by the CPUs on which a task may continue. Calls that a gap ends keep their places. */
struct trace_begins {
    uint64_t *times; /* TSC; of a free place: the number of the next free one */
    uint32_t count, room, free;
};

/* Returns the place of a call that begins, for its frame's user field. 0: no memory. */
uint32_t trace_begins_add(struct trace_begins *begins, uint64_t tsc);

/* Free a place, and set *tsc to when its call began. false: place is 0. */
bool trace_begins_take(struct trace_begins *begins, uint32_t place, uint64_t *tsc);
void trace_begins_free(struct trace_begins *begins);

#endif
