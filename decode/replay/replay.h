/*
 * A position in the trace of a CPU that moves by instructions, forwards and backwards. One stretch is decoded at a
 * time; searches skip the chunks that, by the index, do not execute what is searched for.
 */
#ifndef DECODE_REPLAY_REPLAY_H
#define DECODE_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/source.h"
#include "decode/query/indexed_capture.h"

/* An instruction that was executed. */
struct replay_item {
    uint64_t ip;      /* its linear address */
    uint64_t cr3, at; /* as in struct flow_context */
    uint64_t tsc;     /* 0: not known */
    uint32_t taken;   /* so many branches of its stretch came before it, without the conditional ones */
};

struct replay_cpu {
    const struct indexed_capture *indexed;
    uint16_t cpu;
    uint32_t first, end; /* numbers of the CPU's stretches in the index: those from first on, below end */
    uint32_t stretch;    /* the one whose instructions are in items */
    struct replay_item *items;
    size_t count, room, index; /* index: of the present instruction; below count */
    struct source source;
    bool no_memory;
};

enum replay_stop { REPLAY_MOVED, REPLAY_HIT, REPLAY_BEGIN, REPLAY_END, REPLAY_INTERRUPTED };

/* Open the trace of a CPU at its first instruction. false: error says why; or nothing was executed, and error is not
 * set. The caller calls replay_close in both cases. */
bool replay_open(struct replay_cpu *cpu, const struct indexed_capture *indexed, uint16_t number, struct error *error);
void replay_close(struct replay_cpu *cpu);

/* Move to the last instruction that is not after a time, or to the first of all. */
void replay_seek(struct replay_cpu *cpu, uint64_t tsc);

/* Move by one instruction. REPLAY_BEGIN, REPLAY_END: there is none in this direction, and the position is unchanged. */
enum replay_stop replay_step(struct replay_cpu *cpu, bool backward);

/* What replay_find searches for: instructions at these addresses. */
struct replay_breaks {
    const uint64_t *addresses;
    size_t count;
    bool (*interrupted)(void *context); /* called often: stop? */
    void *context;
};

/* Move to the next instruction at one of the addresses, or to the last one in this direction. */
enum replay_stop replay_find(struct replay_cpu *cpu, const struct replay_breaks *breaks, bool backward);

static inline const struct replay_item *replay_now(const struct replay_cpu *cpu)
{
    return &cpu->items[cpu->index];
}

/* Read memory of the present space as code that was captured, as it was at the present moment. Returns the number of
 * bytes that are known, from the first on. */
size_t replay_read(const struct replay_cpu *cpu, uint64_t address, uint8_t *bytes, size_t size);

#endif
