/*
 * The time as libipt's ptdump computes it from packet to packet, for the columns of its options --time and --tcal. It
 * is not the engine's clock (engine/clock.h): this one must print the same values and errors as ptdump. Pure.
 *
 * There are two parts. The clock is the TSC, which is set by TSC packets, advanced by TMA and MTC, and between these by
 * CYC. The calibration is the number of TSC ticks per cycle, from the MTCs around some CYCs, from the TSCs of two PSB+,
 * or from CBR. SDM "Tracking Time".
 */
#ifndef JUDGE_TEXT_DUMP_TIME_H
#define JUDGE_TEXT_DUMP_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/packet/packet.h"

struct dump_time_setup {
    uint32_t numerator, denominator; /* CPUID.15H:EBX, EAX */
    uint8_t mtc_freq, nom_freq;      /* MTCFreq of IA32_RTIT_CTL; MSR_PLATFORM_INFO[15:8]; 0: not known */
    bool calibrated;                 /* is there a calibration at all? */
    bool kept_on_overflow;           /* it outlives OVF packets */
    bool skl168;                     /* erratum: a CYC before a PSB may be lost */
};

/* Why a value is not known. dump_time_text has ptdump's words for it. */
enum dump_time_error {
    DUMP_TIME_OK,
    DUMP_TIME_NONE,     /* no packet has set it yet */
    DUMP_TIME_CONTEXT,  /* a TMA without TSC, or a second one */
    DUMP_TIME_PACKET,   /* the packet's value is impossible */
    DUMP_TIME_CONFIG,   /* numerator or denominator is not known */
    DUMP_TIME_TOO_LARGE /* the computation would exceed 64 bits */
};
const char *dump_time_text(enum dump_time_error error);

#define DUMP_TIME_ONE 256u /* the length of a cycle is in ticks of the TSC, times this */

struct dump_calibration {
    uint64_t cycle, least, most; /* the last length of a cycle; least > most: none is known */
    uint64_t tsc, cycles_of_tsc, cycles_of_mtc;
    uint32_t ctc;
    bool mtc_known, psb_passed;
};

struct dump_time {
    struct dump_time_setup setup;
    struct dump_calibration calibration;
    bool header; /* within a PSB+ */
    bool tsc_known, tma_known, mtc_known, cycles_lost;
    uint64_t tsc, base, since_base; /* now; at the last TSC, TMA or MTC, and by CYC since then */
    uint32_t ctc, ctc_of_cycles;    /* the crystal's clock there, and where the cycles began to be counted */
};

/* What went wrong at a packet. */
struct dump_time_errors {
    enum dump_time_error uncalibrated; /* a CYC, and no calibration */
    enum dump_time_error calibration, clock;
    bool cycles_lost; /* that CYC was not counted */
};

void dump_time_begin(struct dump_time *time, const struct dump_time_setup *setup);

/* The next packet, of any kind. */
struct dump_time_errors dump_time_take(struct dump_time *time, const struct packet *packet);

/* The length of a cycle in DUMP_TIME_ONE parts. false: it is not known. */
bool dump_time_cycle(const struct dump_time *time, uint64_t *cycle);

#endif
