/* Readers: their options, and the delivery of items. */
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"

#define FLOW_KINDS (UNDERTRACE_BRANCHES | UNDERTRACE_BLOCKS | UNDERTRACE_INSTRUCTIONS)

/* Check the options. Returns the reason for an error; NULL: valid. */
static const char *find_fault(const struct undertrace_how *how)
{
    if (how->what == 0 || how->what & ~(unsigned)(UNDERTRACE_PACKETS | FLOW_KINDS))
        return "what to read is missing, or unknown to this version of the library";
    if (how->what & UNDERTRACE_PACKETS && (how->what & FLOW_KINDS || how->nr_parts > 0))
        return "packets cannot be combined with others, and cannot be read in parts";
    if (how->what & UNDERTRACE_BLOCKS && how->what & UNDERTRACE_INSTRUCTIONS)
        return "blocks and instructions cannot be combined";
    if (how->part > how->nr_parts || (how->part == 0 && how->nr_parts > 0))
        return "parts are numbered from 1 to nr_parts";
    return NULL;
}

/* An older caller's structure is shorter. A newer one's is longer, and its unknown members must be 0. */
static bool copy_how(struct undertrace_how *copy, const struct undertrace_how *how)
{
    const unsigned char *bytes = (const unsigned char *)how;
    for (size_t i = sizeof(*copy); i < how->size; i++)
        if (bytes[i])
            return false;
    *copy = (struct undertrace_how){0};
    memcpy(copy, how, how->size < sizeof(*copy) ? how->size : sizeof(*copy));
    return true;
}

HANDLE_PUBLIC int undertrace_read(struct undertrace_reader **to, struct undertrace *trace,
                                  const struct undertrace_how *how, struct undertrace_error *error)
{
    struct error why = {0};
    struct undertrace_how copy;
    *to = NULL;
    const char *fault = copy_how(&copy, how) ? find_fault(&copy) : "this version of the library cannot do it";
    if (fault)
        return handle_refuse(error, fault);
    const struct flow_trace *shared = handle_trace(trace, copy.cpu, &why);
    if (!shared)
        return handle_error(error, &why);
    struct undertrace_reader *reader = calloc(1, sizeof(*reader));
    if (!reader) {
        error_set(&why, ERROR_MEMORY, 0, "a reader");
        return handle_error(error, &why);
    }
    reader->owner = trace;
    reader->trace = shared;
    reader->how = copy;
    if (!(copy.what & UNDERTRACE_PACKETS) && !flow_reader_open(reader, &why)) {
        undertrace_reader_close(reader);
        return handle_error(error, &why);
    }
    *to = reader;
    return UNDERTRACE_OK;
}

HANDLE_PUBLIC void undertrace_reader_close(struct undertrace_reader *reader)
{
    if (!reader)
        return;
    if (!(reader->how.what & UNDERTRACE_PACKETS))
        flow_reader_close(reader);
    free(reader);
}

HANDLE_PUBLIC int undertrace_reader_status(const struct undertrace_reader *reader)
{
    return reader->status;
}

/* Prepare the next item. Returns whether there is one. */
static bool fill(struct undertrace_reader *reader)
{
    if (reader->nr_branches > 0 || reader->has_item)
        return true;
    return reader->how.what & UNDERTRACE_PACKETS ? packet_reader_fill(reader) : flow_reader_fill(reader);
}

HANDLE_PUBLIC const struct undertrace_item *undertrace_next(struct undertrace_reader *reader)
{
    if (!fill(reader))
        return NULL;
    if (reader->nr_branches > 0) {
        reader->item.kind = UNDERTRACE_BRANCH;
        reader->item.where = reader->where;
        reader->item.branch = *reader->branches++;
        reader->nr_branches--;
    }
    reader->has_item = false;
    return &reader->item;
}

/* Returns the callback's value. */
static int call_one(struct undertrace_reader *reader, const struct undertrace_calls *calls)
{
    const size_t count = reader->nr_branches;
    reader->nr_branches = 0;
    if (count > 0)
        return calls->branches ? calls->branches(calls->context, &reader->where, reader->branches, count) : 0;
    reader->has_item = false;
    return calls->item ? calls->item(calls->context, &reader->item) : 0;
}

HANDLE_PUBLIC int undertrace_run(struct undertrace_reader *reader, const struct undertrace_calls *calls)
{
    struct undertrace_calls copy = {0};
    memcpy(&copy, calls, calls->size < sizeof(copy) ? calls->size : sizeof(copy));
    while (fill(reader)) {
        const int result = call_one(reader, &copy);
        if (result)
            return result;
    }
    return reader->status;
}
