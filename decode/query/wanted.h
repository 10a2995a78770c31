/* The functions that match a pattern, and their addresses. */
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
    uint8_t *known;      /* by the name's number; 0: not compared yet */
    size_t room;
};

bool wanted_function(struct wanted_functions *functions, const struct name *name);
void wanted_functions_free(struct wanted_functions *functions);

/* The addresses of those that were executed; *count: how many. *occurrence: the first and last execution of any of
 * them, and the sums of their counts. NULL: no memory. */
struct listing_range *wanted_ranges(struct wanted_functions *functions, const struct indexed_capture *indexed,
                                    struct occurrence *occurrence, size_t *count);

#endif
