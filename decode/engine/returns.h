/*
 * The stack of the last 64 CALLs, for the targets of compressed RETs. SDM 36.4.2.2, "Indirect Transfer Compression for
 * Returns (RET)": a push on a full stack drops the oldest entry, and each RET, compressed or not, pops the youngest.
 * Pure.
 */
#ifndef DECODE_ENGINE_RETURNS_H
#define DECODE_ENGINE_RETURNS_H

#include <stdint.h>

#include "decode/engine/block.h"

#define RETURNS_MAX 64u

struct returns_call {
    uint64_t version;   /* engine_version when the CALL was executed */
    struct block *call; /* which ends with the CALL */
};

struct returns {
    struct returns_call calls[RETURNS_MAX];
    uint32_t next, count;
};

static inline void returns_clear(struct returns *returns)
{
    returns->count = 0;
}

static inline void returns_push(struct returns *returns, struct block *call, uint64_t version)
{
    returns->calls[returns->next++ % RETURNS_MAX] = (struct returns_call){version, call};
    returns->count += returns->count < RETURNS_MAX;
}

/* NULL: there is none. */
static inline const struct returns_call *returns_pop(struct returns *returns)
{
    if (returns->count == 0)
        return NULL;
    returns->count--;
    return &returns->calls[--returns->next % RETURNS_MAX];
}

#endif
