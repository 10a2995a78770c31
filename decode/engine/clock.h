/*
 * The TSC by a CPU's timing packets. Pure.
 *
 * TSC tells it; TMA tells how it goes together with the crystal's clock, of which MTC counts on. SDM 36.4.2.11, "TSC
 * Packet", to 36.8.3, "Tracking Time"; CYC packets are finer, and are not used yet.
 */
#ifndef DECODE_ENGINE_CLOCK_H
#define DECODE_ENGINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/packet.h"

struct engine_clock {
    uint32_t numerator, denominator; /* CPUID.15H:EBX, EAX: TSC ticks to ticks of the crystal; 0: MTC tells nothing */
    uint8_t mtc_freq;                /* ticks of MTC are 2 to the power of this of the crystal's */
    uint64_t tsc;                    /* 0: not known */
    bool counting;                   /* TMA has told what follows */
    uint64_t base_tsc;               /* at crystal tick base_ctc */
    uint64_t base_ctc;               /* its lower bits: as many as TMA tells, and what has been counted since */
    uint64_t mtc;                    /* ticks of MTC at the last MTC, in the same count */
    bool mtc_known;                  /* an MTC has come since TMA */
};

/* A TSC, TMA or MTC packet; others change nothing. Returns true if the time is another one. */
bool engine_clock_take(struct engine_clock *clock, const struct packet *packet);

#endif
