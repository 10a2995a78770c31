/* The rows of a table of measurements, each found by a text and a function. Pure. */
#ifndef DECODE_MEASURE_ROWS_H
#define DECODE_MEASURE_ROWS_H

#include <stddef.h>

#include "decode/measure/measured.h"

#define ROW_TEXT_SIZE TASK_TEXT_SIZE
struct measure_row {
    char text[ROW_TEXT_SIZE];  /* with name, what the row is found by */
    const struct name *name;   /* NULL: none */
    char label[ROW_TEXT_SIZE]; /* for the table's owner */
    const struct name *other;
    unsigned state;
    struct measured measured[3]; /* what they are is up to the table's owner */
    struct measure_row *next;    /* of the same hash */
};

#define ROWS_HASHES 1024u
struct measure_rows {
    struct measure_row *hashes[ROWS_HASHES];
    struct measure_row **items;
    size_t count, room;
    bool no_memory;
};

/* The row of a text, which is cut to its size, and a function; it is added if it is new. NULL: no memory. */
struct measure_row *measure_rows_find(struct measure_rows *rows, const char *text, const struct name *name);

/* Sort by the time on a CPU of measured[which], or for waits by their elapsed time: the greatest first. */
void measure_rows_sort(struct measure_rows *rows, unsigned which, bool by_elapsed);
void measure_rows_free(struct measure_rows *rows);

#endif
