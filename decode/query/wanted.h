/* Which functions a pattern means, and what a list is confined to. */
#ifndef DECODE_QUERY_WANTED_H
#define DECODE_QUERY_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/query/indexed_capture.h"
#include "decode/query/listing.h"
#include "decode/query/occurrence.h"

/* Functions by a name or a pattern. */
struct wanted_functions {
    const char *pattern; /* NULL: all */
    uint8_t *known;      /* by the name's number: 0 not looked at yet */
    size_t room;
};

bool wanted_function(struct wanted_functions *functions, const struct name *name);
void wanted_functions_free(struct wanted_functions *functions);

/* Those of them that were executed: their addresses. *count: how many. NULL: no memory. first, last: when the first of
 * them began and the last one ran last; runs is 0 where none did. */
struct listing_range *wanted_ranges(struct wanted_functions *functions, const struct indexed_capture *indexed,
                                    struct occurrence *occurrence, size_t *count);

#endif
