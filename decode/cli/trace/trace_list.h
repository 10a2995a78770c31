/* For undertrace trace: shared by all lists. */
#ifndef DECODE_CLI_TRACE_TRACE_LIST_H
#define DECODE_CLI_TRACE_TRACE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/cli/text/name_text.h"
#include "decode/cli/text/source_line.h"
#include "decode/cli/trace/trace_options.h"
#include "decode/query/indexed_capture.h"
#include "decode/query/listing.h"
#include "decode/query/wanted.h"
#include "decode/query/wanted_spaces.h"

struct trace_list {
    const struct trace_options *options;
    const struct indexed_capture *indexed;
    FILE *file;
    struct source_lines *sources; /* NULL: without --srcline */
    uint64_t from_tsc, to_tsc;
    struct wanted_functions function, from, to;
    /* Addresses of the options' functions; NULL: without the option. */
    struct listing_ranges {
        struct listing_range *items;
        size_t count;
    } function_ranges, from_ranges, to_ranges;
    struct wanted_spaces spaces;             /* of --process; meant NULL: all */
    uint64_t function_tsc;                   /* first execution of --function; nothing earlier is listed; 0: unknown */
    uint32_t from_stretch[CAPTURE_MAX_CPUS]; /* where --from may be entered first; this chunk is always decoded */
    /* state while listing */
    uint16_t cpu;
    bool begun, done; /* --from was entered; --to was entered, or enough lines are written */
    uint64_t lines;
    uint64_t tsc;                                              /* of the current line */
    char time[TIME_TEXT_SIZE];                                 /* the same as text; empty: no line yet */
    void (*line_taken)(struct trace_list *list, uint64_t tsc); /* called after each line; NULL: none */
    void *line_context;
};

/* Is the time selected, as far as it is known? */
static inline bool trace_is_time(const struct trace_list *list, uint64_t tsc)
{
    return tsc >= list->from_tsc && tsc <= list->to_tsc;
}

/* Is it the process of --process, by its CR3 or by the program that ran in it at a trace offset? */
bool trace_is_process(const struct trace_list *list, uint64_t cr3, uint64_t at);

/* A function is entered at an address: is it between --from and --to? */
bool trace_between(struct trace_list *list, const struct name *name);

/* Write the beginning of a line: time, CPU, CR3, and the name of a process if it is recorded; NULL: unknown. */
void trace_head(struct trace_list *list, uint64_t tsc, uint64_t cr3, const char *name);

/* The process of a space at a trace offset. NULL: unknown. */
const char *trace_process(const struct trace_list *list, uint64_t cr3, uint64_t at);

/* Write "  (file.c:12)" after an address, with --srcline and if the line is known. */
void trace_source(const struct trace_list *list, uint64_t cr3, uint64_t at, uint64_t address);

/* End the line, and count it. */
void trace_line_end(struct trace_list *list);

/* After a line: stop if enough lines are written, or the reader has gone. */
void trace_line_count(struct trace_list *list);

/* Colours, if they are enabled. */
#define COLOR_DIM "2"
#define COLOR_NAME "1"
#define COLOR_EVENT "33"
void trace_color(const struct trace_list *list, const char *color);
void trace_plain(const struct trace_list *list);

/* A listing with the selections, without needs and callbacks. */
struct listing trace_listing(const struct trace_list *list);

/* Chunks that are always decoded: those in which --from can be, then --to. For struct listing. */
const struct listing_range *trace_also(const struct trace_list *list, size_t *count);

#endif
