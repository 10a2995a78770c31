/* The trace offsets at which mappings become valid, from their times. Pure. */
#ifndef DECODE_FOREIGN_PERF_CHANGES_H
#define DECODE_FOREIGN_PERF_CHANGES_H

#include <stdbool.h>

#include "decode/foreign/foreign_trace.h"

/* Set foreign->image.changes, after its pieces, the packets and the clocks in foreign->trace.input were set. Where the
 * packets of several CPUs were joined, time can go back from one stretch to the next, and so do the changes. false: out
 * of memory. */
bool perf_changes_find(struct foreign *foreign);

#endif
