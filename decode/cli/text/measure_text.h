/* What was measured, as tables of at most 100 columns, and as JSON. */
#ifndef DECODE_CLI_TEXT_MEASURE_TEXT_H
#define DECODE_CLI_TEXT_MEASURE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/measure/measured.h"

/* A length of time with three significant digits and its unit: "12.3 us"; branches: "1,234 br". Returns text. */
#define SPAN_TEXT_SIZE 32u
const char *span_text(char text[SPAN_TEXT_SIZE], const struct measure *measure, uint64_t nanoseconds);

/* The same, always of nanoseconds. */
const char *nanoseconds_text(char text[SPAN_TEXT_SIZE], uint64_t nanoseconds);

/* The same of ticks. */
const char *ticks_text(char text[SPAN_TEXT_SIZE], const struct measure *measure, uint64_t ticks);

/* A moment: seconds since the first TSC, "12.345678901"; branches: their number. Returns text. */
const char *moment_text(char text[SPAN_TEXT_SIZE], const struct measure *measure, uint64_t tsc);

/* "name", or "name [object]" of modules and programs; of unknown functions the address. Returns text. */
#define FUNCTION_TEXT_SIZE 256u
const char *function_text(char text[FUNCTION_TEXT_SIZE], const struct name *name);

/* A line with the sums and percentiles. */
void measured_print_sums(const struct measure *measure, const struct measured *measured);

/* A line of a table: number, time on a CPU, percentiles of the elapsed time. waits: the whole elapsed time, since waits
 * have no time on a CPU. */
void measured_print_head(const char *title, bool waits);
void measured_print(const struct measure *measure, const char *label, const struct measured *measured, bool waits);

/* How many calls took how long, by powers of two. */
void measured_print_histogram(const struct measure *measure, const struct measured *measured);
void measured_print_slowest(const struct measure *measure, const struct measured *measured);

/* The precision of all these times. */
void measure_print_precision(const struct measure *measure);

/* Fields of an object: the figures, the histogram, and the slowest calls. */
void measured_json(const struct measure *measure, const struct measured *measured);

/* "symbol", "object" and "address", with a comma after each. */
void function_json(const struct name *name);

/* "unit" and "precision", with a comma after each. */
void measure_json(const struct measure *measure);

#endif
