/*
 * Blackouts: stretches of time in which the guest ran and another than the hypervisor had cleared TraceEn. A
 * system-management interrupt (SMI) does so: the processor writes FUP and TIP.PGD without an IP, and when RSM sets
 * TraceEn again, TSC and TIP.PGE. SDM "System Management Mode (SMM)" in "Interaction of Intel Processor Trace and Other
 * Processor Features", and Table "Packet Generation under Different Enable Conditions", SMI and RSM.
 *
 * The hypervisor itself sets and clears TraceEn in root operation, which PIP packets show (pt.switch=root). Pure.
 */
#ifndef DECODE_FLOW_BLACKOUTS_H
#define DECODE_FLOW_BLACKOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/flow/flow_span.h"

struct blackout {
    uint64_t offset;   /* trace offset of its TIP.PGD */
    uint64_t address;  /* of the instruction before which it began */
    uint64_t from, to; /* TSC of the last timing packet before it, and of its end; 0: not known */
    uint16_t cpu;
};

struct blackouts {
    struct blackout *items;
    size_t count, room;
};

/* Do a CPU's packets show them? Not with other ways than pt.switch=root, nor with filters by privilege level or CR3,
 * which have the same packets; nor without Intel PT. */
bool blackouts_are_shown(const struct capture *capture, uint16_t cpu);

/* Add those of these stretches of a CPU's trace. false: no memory. */
bool blackouts_add(struct blackouts *blackouts, const struct capture *capture, uint16_t cpu,
                   const struct flow_span *stretches, size_t count);
void blackouts_free(struct blackouts *blackouts);

/* Its length in ticks of the TSC, at most: it began after the last timing packet. 0: not known. */
static inline uint64_t blackout_ticks(const struct blackout *blackout)
{
    return blackout->from && blackout->to > blackout->from ? blackout->to - blackout->from : 0;
}

#endif
