/* VM exits by basic exit reason, as the END records of CPUs tell them: docs/wire.md. Pure. */
#ifndef DECODE_CAPTURE_EXITS_H
#define DECODE_CAPTURE_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/text.h"

#define EXITS_MAX 128u

/* Of one reason, as the record names it. */
struct exits_reason {
    struct record_text name;
    uint64_t count;
    uint64_t ticks; /* of the TSC, in root mode */
};

struct exits {
    bool known; /* an END record has come from all CPUs, */
    bool timed; /* and all tell ticks */
    size_t count;
    struct exits_reason items[EXITS_MAX];
};

/* What the END record of one CPU says; an empty text where none has come. The names stay the record's. */
void exits_take(struct exits *exits, struct record_text end);

/* Add another CPU's to the sum of those before. first: there are none before. */
void exits_add(struct exits *sum, const struct exits *more, bool first);

/* The costliest first, or, where ticks are not known, the most frequent. */
void exits_sort(struct exits *exits);

#endif
