/*
 * Which blocks belong to a stretch of trace that ends at a PSB.
 *
 * The decoder walks past the last packet until it needs another one. The FUP in the next PSB+ gives the IP at which the
 * stretch ends. So blocks are held back until a packet proves them, and at the end, blocks from that IP on are dropped:
 * they are decoded again after the PSB. Without such a FUP, all unproven blocks are dropped. Pure.
 */
#ifndef DECODE_FLOW_TAIL_H
#define DECODE_FLOW_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of instructions that no packet proves yet. */
struct flow_pending {
    uint64_t ip;     /* of the first instruction */
    uint64_t end_ip; /* of the last instruction */
    uint64_t to;     /* of the next block, if resolved */
    uint64_t tsc;    /* 0: not known */
    uint32_t instructions;
    bool branch;   /* the last instruction is a branch */
    bool proven;   /* the last instruction consumed or generated a packet */
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

/* Remove the first count blocks. */
void flow_tail_drop(struct flow_tail *tail, size_t count);

/* The first block from index from on that contains the boundary. Without packets there is only one path, so a second
 * such block means a loop. Returns its index, or used if there is none. */
size_t flow_tail_find(const struct flow_tail *tail, size_t from, uint64_t boundary_ip);

#endif
