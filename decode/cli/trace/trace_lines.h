/* For undertrace trace: lines of one CPU's list that wait until those of other CPUs with earlier times are written. */
#ifndef DECODE_CLI_TRACE_TRACE_LINES_H
#define DECODE_CLI_TRACE_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct trace_lines {
    FILE *file; /* lines are written to it */
    char *text;
    size_t text_size;
    struct trace_line {
        uint64_t tsc;
        size_t end; /* end offset in the text */
    } * lines;
    size_t count, room;
    size_t next; /* the first line that was not delivered */
};

/* false: out of memory. The caller closes it in both cases. */
bool trace_lines_open(struct trace_lines *lines);
void trace_lines_close(struct trace_lines *lines);

/* A line with this time (TSC) was written to the file. false: out of memory. */
bool trace_lines_add(struct trace_lines *lines, uint64_t tsc);

/* Is a line waiting? */
static inline bool trace_lines_wait(const struct trace_lines *lines)
{
    return lines->next < lines->count;
}

/* The time of the first waiting line; there must be one. */
static inline uint64_t trace_lines_tsc(const struct trace_lines *lines)
{
    return lines->lines[lines->next].tsc;
}

/* Write the first waiting line to another file. */
void trace_lines_write(struct trace_lines *lines, FILE *to);

/* Discard the waiting lines. */
void trace_lines_drop(struct trace_lines *lines);

#endif
