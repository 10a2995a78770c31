/* The position of a reception in the stream of its sender: with what is stored, all that a receiver needs to continue.
 */
#ifndef DECODE_RESUME_POINT_H
#define DECODE_RESUME_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/receive/session.h"

struct resume_point {
    bool started; /* stream_id is known */
    bool serial;  /* by a serial line */
    bool keyed;   /* with a key */
    bool answered, proven;
    uint32_t stream_id;
    uint32_t next_seq;
    uint64_t frames; /* delivered so far */
    uint64_t lost;   /* frames, on a serial line */
    uint64_t source; /* as in struct reception */
    struct session_memory session;
};

#endif
