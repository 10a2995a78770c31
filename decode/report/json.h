/* JSON fields. Unknown values are null. */
#ifndef DECODE_JSON_H
#define DECODE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A number that may be unknown. */
struct figure {
    bool known;
    uint64_t value;
};

static inline struct figure figure_of(uint64_t value)
{
    return (struct figure){true, value};
}

/* Write "name": value, and the text after it. */
void json_figure(FILE *file, const char *name, struct figure figure, const char *after);

/* The same for seconds; negative ones are unknown. */
void json_seconds(FILE *file, const char *name, double seconds, const char *after);

/* The same for a string; NULL is null. */
void json_string(FILE *file, const char *name, const char *string, const char *after);

#endif
