/*
 * The TSC from a CPU's timing packets, and the bounds that they prove. Pure.
 *
 * TSC packets contain it. TMA relates it to the crystal's clock, whose ticks MTC counts: TSC and MTC are anchors. CYC
 * counts core cycles since the last CYC. The length of a cycle is derived from the time between two anchors, because
 * the core's frequency changes, and no packet gives it exactly. SDM 36.4.2.10, "Core:Bus Ratio (CBR) Packet",
 * to 36.4.2.14, "Cycle Count (CYC) Packet"; 36.8.3, "Tracking Time".
 */
#ifndef DECODE_ENGINE_CLOCK_H
#define DECODE_ENGINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/cpu_clock.h"
#include "pt/packet/packet.h"

#define ENGINE_CLOCK_ONE (1ull << 16)
#define ENGINE_CLOCK_NEVER UINT64_MAX

/* Between an anchor and the next one. */
struct engine_clock_period {
    uint64_t end;    /* the TSC of the next anchor, or one that is not before it; ENGINE_CLOCK_NEVER: not known */
    uint64_t cycles; /* of the core, counted by CYC packets from here to there */
    uint64_t cycle;  /* the least length of a cycle, in the unit of engine_clock.cycle; 0: not known */
};

struct engine_clock {
    const struct cpu_clock *cpu; /* converts TSC packets to the clock of the trace; NULL: no difference */
    const uint8_t *trace;        /* the bytes at trace offset 0 */

    /* from CPUID and IA32_RTIT_CTL; numerator 0: MTC packets are ignored */
    uint32_t numerator, denominator; /* CPUID.15H:EBX, EAX: the TSC's frequency divided by the crystal's */
    uint8_t mtc_freq;                /* IA32_RTIT_CTL.MTCFreq: MTC counts once in 2^mtc_freq ticks of the crystal */

    uint64_t tsc; /* now; 0: not known */
    bool counting;
    uint64_t base_tsc,
        base_ctc;    /* from TMA: the TSC at a tick of the crystal, and the lower 16 bits of that tick's number */
    uint64_t ticks;  /* the crystal's count at the last MTC or TMA */
    bool mtc_known;  /* an MTC has come since TMA */
    uint64_t anchor; /* the TSC of the last anchor */
    uint64_t cycles; /* since then */
    uint64_t cycle;  /* a cycle's length in ticks of the TSC, times ENGINE_CLOCK_ONE */

    /* what is proven: clock_bound.c */
    uint8_t nominal_ratio;             /* the core:bus ratio at which a cycle is a tick of the TSC; 0: not known */
    uint8_t ratio;                     /* the last CBR; 0: none */
    bool overflown;                    /* MTCs may have been lost since the last TSC */
    uint64_t anchors;                  /* the number of anchors so far */
    uint64_t bounded;                  /* the value of anchors at the beginning of period; 0: none */
    struct engine_clock_period period; /* the present one */
    enum packet_block block;           /* of the packet after the last one */
    uint64_t low, high;                /* the packets up to the next timing packet came from low to high */
};

/* The beginning of a stretch: nothing is known yet. */
void engine_clock_begin(struct engine_clock *clock, uint32_t numerator, uint32_t denominator, uint8_t mtc_freq);

/* Convert a packet that was read at this place of the trace, if it is a TSC packet. */
static inline void engine_clock_convert(const struct engine_clock *clock, struct packet *packet, const uint8_t *at)
{
    if (packet->kind == PT_PACKET_TSC && clock->cpu)
        packet->tsc = cpu_clock_time(clock->cpu, (uint64_t)(at - clock->trace), packet->tsc);
}

/* Take a TSC, TMA, MTC or CYC packet; others are ignored. Returns whether the time has changed. */
bool engine_clock_take(struct engine_clock *clock, const struct packet *packet);

/* OVF: packets were lost. */
void engine_clock_overflow(struct engine_clock *clock);

/* Call after each timing packet: sets low and high from the packets that follow, from at to end. end_tsc: the TSC at
 * end; 0: not known. low and high are 0 and ENGINE_CLOCK_NEVER if packets prove nothing. Each packet is read at most
 * twice. */
void engine_clock_bound(struct engine_clock *clock, const uint8_t *at, const uint8_t *end, uint64_t end_tsc);

#endif
