/* Going on with a capture whose receiver has ended before the stream did. docs/capture.md, "resume". */
#ifndef DECODE_STORE_RESUME_H
#define DECODE_STORE_RESUME_H

#include "decode/receive/resume_point.h"
#include "decode/receive/store.h"

/* Has a directory a capture that store_resume can resume? */
bool store_is_unfinished(const char *directory);

/* Open it. What was written after the last commit is cut off: it was not acknowledged, and will be sent again. *point:
 * that of the last commit; not started: nothing was acknowledged, and the store is empty. NULL: error says why. */
struct store *store_resume(const char *directory, struct resume_point *point, struct error *error);

#endif
