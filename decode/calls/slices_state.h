/* Shared by slices.c and slices_keep.c only. */
#ifndef DECODE_CALLS_SLICES_STATE_H
#define DECODE_CALLS_SLICES_STATE_H

#include "decode/calls/slices.h"

void slices_push(struct slices *slices, uint32_t track, struct slice_open call);

/* The track's innermost call has ended. */
void slices_pop(struct slices *slices, uint32_t track, uint64_t tsc);

#endif
