/*
 * What packets need beside their bytes where the trace has timing packets, where TIPs are deferred, and where packets
 * are lost on purpose: part of struct ptm_cpu, out of the way of the branches of a plain trace.
 */
#ifndef PT_SLOW_H
#define PT_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#define PTM_MAX_DEFERRED_TIPS 16u

struct ptm_slow {
    bool watch; /* every packet passes ptm_packet_before() */

    /* Timing, pt_timing.cc */
    uint64_t cyc_last;  /* cycle of the last CYC packet, or in which TriggerEn was set */
    bool cyc_sent;      /* that was a CYC packet */
    uint64_t tnt_cycle; /* of the oldest branch in the TNT buffer */
    bool mtc_timer_made;
    int mtc_timer;
    uint64_t mtc_last; /* ART >> MTCFreq of the last MTC packet, or when TriggerEn was set */
    bool slept;        /* the CPU was halted: its clock did not run */
    uint64_t halted_at, halted_ticks;

    /* Deferred TIPs, pt_slow.cc: their TNT packet is still being filled. */
    uint32_t nr_tips;
    uint64_t tips[PTM_MAX_DEFERRED_TIPS];

    /* Internal buffer overflow, pt_faults.cc */
    bool overflow;
    bool ip_uncompressed;    /* the next IP packet is not compressed against those that were lost */
    uint64_t overflow_at;    /* trace offset of the next one */
    uint64_t overflow_left;  /* branches until it resolves */
    uint64_t overflow_index; /* how many were taken from the list */
    uint64_t overflow_state; /* of the generator of seeded ones */
    uint64_t overflows;
};

#endif
