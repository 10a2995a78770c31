/* Inside of undertrace trace: what its lists share. */
#ifndef DECODE_CLI_TRACE_TRACE_LIST_H
#define DECODE_CLI_TRACE_TRACE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/cli/text/source_line.h"
#include "decode/cli/trace/trace_options.h"
#include "decode/query/ask.h"
#include "decode/query/listing.h"
#include "decode/query/wanted.h"
#include "decode/query/wanted_spaces.h"

struct trace_list {
    const struct trace_options *options;
    const struct ask *ask;
    FILE *file;
    struct source_lines *sources; /* NULL: none are wanted */
    uint64_t from_tsc, to_tsc;
    struct wanted_functions function, from, to;
    /* Where functions are that were executed; NULL: none are wanted. */
    struct listing_ranges {
        struct listing_range *items;
        size_t count;
    } function_ranges, from_ranges, to_ranges;
    struct wanted_spaces spaces; /* of --process; meant NULL: all are wanted */
    uint64_t function_tsc;       /* when --function was executed first; nothing is to be listed before; 0: not known */
    uint32_t from_stretch[CAPTURE_MAX_CPUS]; /* where --from may be entered first; its chunk is looked through */
    /* while it runs */
    uint16_t cpu;
    bool begun, done; /* --from was there; --to was, or the lines are full */
    uint64_t lines;
    uint64_t tsc;                                              /* of the line that is being written */
    char time[TIME_TEXT_SIZE];                                 /* the same as text; empty: there was none yet */
    void (*line_taken)(struct trace_list *list, uint64_t tsc); /* a line is written to its end; NULL: no matter */
    void *line_context;
};

/* Is the time, as far as it is known, the wanted one? */
static inline bool trace_is_time(const struct trace_list *list, uint64_t tsc)
{
    return tsc >= list->from_tsc && tsc <= list->to_tsc;
}

/* Is it --process, by its CR3 or by the program that ran in it at a trace offset? */
bool trace_is_process(const struct trace_list *list, uint64_t cr3, uint64_t at);

/* A function is entered at an address: between --from and --to, or not? */
bool trace_between(struct trace_list *list, const struct name *name);

/* The beginning of a line: time, CPU, CR3, and, where the capture tells of processes, whose name. NULL: not known. */
void trace_head(struct trace_list *list, uint64_t tsc, uint64_t cr3, const char *name);

/* That of a space's process at a trace offset. NULL: not known. */
const char *trace_process(const struct trace_list *list, uint64_t cr3, uint64_t at);

/* "  (file.c:12)" behind an address, where that is wanted and known. */
void trace_source(const struct trace_list *list, uint64_t cr3, uint64_t at, uint64_t address);

/* Its end: one line more. */
void trace_line_end(struct trace_list *list);

/* A line more is in the file: are there enough, or does nobody read them? */
void trace_line_count(struct trace_list *list);

/* Colours, where they are wanted. */
#define COLOR_DIM "2"
#define COLOR_NAME "1"
#define COLOR_EVENT "33"
void trace_color(const struct trace_list *list, const char *color);
void trace_plain(const struct trace_list *list);

/* A listing of what is wanted, without needs and callbacks. */
struct listing trace_listing(const struct trace_list *list);

/* Chunks that are wanted whatever is listed: where --from can be, then --to. For struct listing. */
const struct listing_range *trace_also(const struct trace_list *list, size_t *count);

#endif
