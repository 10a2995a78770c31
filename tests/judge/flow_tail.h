/*
 * Which blocks belong to a stretch of trace that ends at a PSB.
 *
 * The decoder walks on behind the last packet until it needs another one. Where the stretch ends is told by the next
 * PSB+: the FUP in it names the instruction pointer there. So blocks are held back as long as no packet proves them,
 * and at the end those from that address on are dropped: they are decoded again behind the PSB. Where no PSB+ tells,
 * all that no packet proves are dropped. Pure.
 */
#ifndef DECODE_FLOW_TAIL_H
#define DECODE_FLOW_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of instructions of which no packet says yet that it was executed. */
struct flow_pending {
    uint64_t ip;     /* of the first instruction */
    uint64_t end_ip; /* of the last instruction */
    uint64_t to;     /* of the next block, where resolved */
    uint64_t tsc;    /* 0: not known */
    uint32_t instructions;
    bool branch;   /* the last instruction is a branch */
    bool proven;   /* the last instruction took a packet, or wrote one */
    bool resolved; /* to is known */
    bool non_root;
};

/* More instructions than this without a packet: a loop without an end. */
#define FLOW_TAIL_MAX 65536u

struct flow_tail {
    struct flow_pending *blocks; /* FLOW_TAIL_MAX of them */
    size_t used;
    uint64_t instructions; /* in them */
};

/* These two run once a block. */
static inline void flow_tail_add(struct flow_tail *tail, struct flow_pending block)
{
    tail->blocks[tail->used++] = block;
    tail->instructions += block.instructions;
}

static inline void flow_tail_clear(struct flow_tail *tail)
{
    tail->used = 0;
    tail->instructions = 0;
}

/* Take the first count blocks away. */
void flow_tail_drop(struct flow_tail *tail, size_t count);

/* The first block from index from on that begins at the boundary or passes it. Without packets the way is one way, so a
 * second one is reached by a loop. Returns its index, or used where there is none. */
size_t flow_tail_find(const struct flow_tail *tail, size_t from, uint64_t boundary_ip);

#endif
