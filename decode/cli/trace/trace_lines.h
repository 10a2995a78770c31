/* Inside of undertrace trace: lines of one CPU's list that wait for their turn among those of other CPUs. */
#ifndef DECODE_CLI_TRACE_TRACE_LINES_H
#define DECODE_CLI_TRACE_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct trace_lines {
    FILE *file; /* to write lines into */
    char *text;
    size_t text_size;
    struct trace_line {
        uint64_t tsc;
        size_t end; /* in the text */
    } * lines;
    size_t count, room;
    size_t next; /* the first that was not handed on */
};

/* false: no memory. What was opened is to be closed in either case. */
bool trace_lines_open(struct trace_lines *lines);
void trace_lines_close(struct trace_lines *lines);

/* A line of a time (TSC) is in the file. false: no memory. */
bool trace_lines_add(struct trace_lines *lines, uint64_t tsc);

/* Is there one that waits? */
static inline bool trace_lines_wait(const struct trace_lines *lines)
{
    return lines->next < lines->count;
}

/* The time of the first that waits; there must be one. */
static inline uint64_t trace_lines_tsc(const struct trace_lines *lines)
{
    return lines->lines[lines->next].tsc;
}

/* Write the first that waits to another file. */
void trace_lines_write(struct trace_lines *lines, FILE *to);

/* Nobody wants those that wait. */
void trace_lines_drop(struct trace_lines *lines);

#endif
