/* The address spaces in the index that belong to a process, given by name, pid or CR3. */
#ifndef DECODE_QUERY_WANTED_SPACES_H
#define DECODE_QUERY_WANTED_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/query/indexed_capture.h"

struct wanted_spaces {
    bool *meant;    /* by index of the space, for struct occurrence */
    uint32_t count; /* of those that are set */
    bool mixed;     /* the process of one of them is not known, and several programs used it one after another */
};

/* By CR3; or, if that is FLOW_CR3_UNKNOWN, by a process's name, pid:123, or its program's file (names_is_process).
 * generous: also include uncertain spaces, for a caller that checks each execution. false: no memory. */
bool wanted_spaces_find(struct wanted_spaces *spaces, const struct indexed_capture *indexed, uint64_t cr3,
                        const char *called, bool generous);
void wanted_spaces_free(struct wanted_spaces *spaces);

#endif
