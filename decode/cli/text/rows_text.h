/* Tables of measurements, and the same as JSON. */
#ifndef DECODE_CLI_TEXT_ROWS_TEXT_H
#define DECODE_CLI_TEXT_ROWS_TEXT_H

#include <stdint.h>

#include "decode/cli/text/measure_text.h"
#include "decode/measure/rows.h"

struct rows_table {
    const struct measure *measure;
    const struct measure_rows *rows;
    unsigned which; /* index of the rows' measured */
    bool waits;     /* without time on a CPU */
    uint64_t most;  /* print at most so many rows, and count the others */
    /* The row's label, of which 36 columns are shown. */
    const char *(*label)(char text[FUNCTION_TEXT_SIZE], const struct measure_row *row);
};

/* Print rows that have a number. Nothing is printed if there are none. */
void rows_print(const struct rows_table *table, const char *title);

/* Print the slowest of all rows together. */
void rows_print_slowest(const struct rows_table *table);

/* Write a member with the list of rows, without a comma. fields: those of a row before its figures, each with a comma
 * after it. */
void rows_json(const struct rows_table *table, const char *name, void (*fields)(const struct measure_row *row));

#endif
