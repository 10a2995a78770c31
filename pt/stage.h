/*
 * The stage: puts runs of bytes of any length behind one another and gives them on in multiples of 8, which is what a
 * sink's record stream takes. Long runs that begin on such a multiple go past it without a copy.
 *
 * Core.
 */
#ifndef PT_STAGE_H
#define PT_STAGE_H

#include <stdint.h>

#define STAGE_BYTES 64u

struct stage {
    void (*give)(void *context, const void *bytes, uint32_t size); /* size: a multiple of 8, never 0 */
    void *context;
    uint32_t used;
    uint8_t bytes[STAGE_BYTES];
};

/* Append size bytes; bytes may be NULL where size is 0. */
void stage_put(struct stage *stage, const void *bytes, uint32_t size);

/* Pad with zeros to a multiple of 8 and give the rest on. */
void stage_finish(struct stage *stage);

#endif
