/* Which address spaces of the index somebody means who names a process. */
#ifndef DECODE_QUERY_WANTED_SPACES_H
#define DECODE_QUERY_WANTED_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/query/indexed_capture.h"

struct wanted_spaces {
    bool *meant;    /* by number of the space, for struct occurrence */
    uint32_t count; /* that are meant */
    bool mixed; /* of one of them the capture does not tell whose it was, and several programs had it one after another
                 */
};

/* By CR3; or, where that is FLOW_CR3_UNKNOWN, by a process's name, pid:123, or its program's file (names_is_process).
 * generous: also those of which it is not sure, for who looks closer. false: no memory. */
bool wanted_spaces_find(struct wanted_spaces *spaces, const struct indexed_capture *indexed, uint64_t cr3,
                        const char *called, bool generous);
void wanted_spaces_free(struct wanted_spaces *spaces);

#endif
