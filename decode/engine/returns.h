/*
 * Where compressed RETs lead: the targets of the last 64 CALLs. SDM 36.4.2.2, "Indirect Transfer Compression for
 * Returns (RET)": the oldest falls out when another is pushed, and each RET, compressed or not, takes the youngest.
 * Pure.
 */
#ifndef DECODE_ENGINE_RETURNS_H
#define DECODE_ENGINE_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

#define RETURNS_MAX 64u

struct returns {
    uint64_t targets[RETURNS_MAX];
    uint32_t next, count;
};

static inline void returns_clear(struct returns *returns)
{
    returns->count = 0;
}

static inline void returns_push(struct returns *returns, uint64_t target)
{
    returns->targets[returns->next++ % RETURNS_MAX] = target;
    returns->count += returns->count < RETURNS_MAX;
}

/* false: there is none. */
static inline bool returns_pop(struct returns *returns, uint64_t *target)
{
    if (returns->count == 0)
        return false;
    returns->count--;
    *target = returns->targets[--returns->next % RETURNS_MAX];
    return true;
}

#endif
