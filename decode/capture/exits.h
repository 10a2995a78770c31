/* VM exits by basic exit reason, from the END records of CPUs: docs/wire.md. Pure. */
#ifndef DECODE_CAPTURE_EXITS_H
#define DECODE_CAPTURE_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/text.h"

#define EXITS_MAX 128u

/* One reason, with the record's name for it. */
struct exits_reason {
    struct record_text name;
    uint64_t count;
    uint64_t ticks; /* of the TSC, in root mode */
};

struct exits {
    bool known; /* there is an END record of all CPUs */
    bool timed; /* all of them have ticks */
    size_t count;
    struct exits_reason items[EXITS_MAX];
};

/* Parse the END record of one CPU; an empty text if there is none. The names point into the record. */
void exits_take(struct exits *exits, struct record_text end);

/* Add a CPU to a sum. first: it is the first one. */
void exits_add(struct exits *sum, const struct exits *more, bool first);

/* Sort by ticks, or if they are not known, by count; highest first. */
void exits_sort(struct exits *exits);

#endif
