/*
 * The drain plan: what a PMI's handler must do, from the registers as read with TraceEn clear.
 *
 * A drain has two halves. plan_drain says what was written, what of it to hand over, and what went wrong; then, when
 * the sink has released enough (policy stall: the guest waits until then), plan_rearm says what to write where before
 * TraceEn is set again.
 *
 * Core. Source: SDM "ToPA STOP", "ToPA PMI", "ToPA Errors" (36.2.6.2), Table "IA32_RTIT_STATUS MSR", "Disabling Packet
 * Generation" (36.3.2.2).
 */
#ifndef PT_OUTPUT_PLAN_H
#define PT_OUTPUT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/output/canary.h"
#include "pt/output/region_ring.h"

struct plan_snapshot {
    uint64_t rtit_status;      /* IA32_RTIT_STATUS */
    uint64_t output_base;      /* IA32_RTIT_OUTPUT_BASE */
    uint64_t output_mask_ptrs; /* IA32_RTIT_OUTPUT_MASK_PTRS */
    bool all;                  /* hand over the region in use as well */
    bool trace_stop;           /* a TraceStop range is set up: Stopped may be its doing, and stays */
    uint32_t canary_left;      /* words of the canary that are intact, where the scheme has one */
};

enum plan_gap {
    PLAN_NO_GAP,
    PLAN_GAP_STOPPED, /* output stopped at the end of what was free */
    PLAN_GAP_ERROR,   /* an operational error, or pointers that cannot be */
    PLAN_GAP_OVERRUN  /* the output wrapped over what was needed */
};

struct plan_drain {
    uint64_t hand_from, hand_end; /* stream offsets to hand over, by region_ring_hand_over; equal: nothing */
    uint64_t gap_at;              /* stream offset at which bytes are missing */
    uint64_t gap_size;            /* bytes from gap_at on that have offsets, and are no trace */
    enum plan_gap gap;
};

/* Take in what the hardware did. Moves ring->written. */
struct plan_drain plan_drain(struct region_ring *ring, const struct plan_snapshot *snapshot);

#define PLAN_MAX_ENTRIES 2u

struct plan_rearm {
    bool stall;         /* no region is free: nothing below holds, wait for a release and ask again */
    bool write_ptrs;    /* write output_base and output_mask_ptrs */
    bool rewrite_table; /* write all entries, not only those below */
    uint32_t nr_entries;
    struct {
        uint32_t index; /* in the tables' memory: entries of 8 bytes from its start */
        uint64_t value;
    } entries[PLAN_MAX_ENTRIES]; /* a region ring: the entry that loses STOP, the entry that gets it */
    uint64_t output_base, output_mask_ptrs;
    uint64_t rtit_status; /* Error and Stopped clear, PacketByteCnt 0: the next byte begins a PSB+ */
    uint64_t canary;      /* put a canary at this place, bytes from the first region's start; or CANARY_NOWHERE */
};

/* How to go on after drain, when the sink has released all bytes before released. Moves ring->released and limit. */
struct plan_rearm plan_rearm(struct region_ring *ring, const struct plan_drain *drain,
                             const struct plan_snapshot *snapshot, uint64_t released);

bool plan_is_stopped(const struct plan_snapshot *snapshot);

/* Stopped, where a TraceStop range has set it (SDM "TraceStop", 36.2.5.3) and not the end of a region; else 0. */
uint64_t plan_stays_stopped(const struct plan_drain *drain, const struct plan_snapshot *snapshot);

#endif
