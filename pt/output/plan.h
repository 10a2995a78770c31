/*
 * The drain plan: what the PMI handler must do, computed from the registers as read with TraceEn clear.
 *
 * A drain has two halves. plan_drain says what was written, which part of it to submit, and what went wrong. When the
 * sink has released enough (with policy=stall the guest waits until then), plan_rearm says what to write where before
 * TraceEn is set again.
 *
 * Source: SDM "ToPA STOP", "ToPA PMI", "ToPA Errors" (36.2.6.2), Table "IA32_RTIT_STATUS MSR", "Disabling Packet
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
    bool all;                  /* submit the region in use as well */
    bool trace_stop;           /* a TraceStop range is set up: it may have set Stopped, which then stays set */
    uint32_t canary_left;      /* words of the canary that are intact, if the scheme has one */
};

enum plan_gap {
    PLAN_NO_GAP,
    PLAN_GAP_STOPPED, /* output stopped at the end of the free regions */
    PLAN_GAP_ERROR,   /* an operational error, or impossible output pointers */
    PLAN_GAP_OVERRUN  /* output has overwritten bytes that were not released */
};

struct plan_drain {
    uint64_t submit_from, submit_end; /* stream offsets to submit, by region_ring_next_span; equal: nothing */
    uint64_t gap_at;                  /* stream offset at which bytes are missing */
    uint64_t gap_size;                /* bytes from gap_at on that have stream offsets, but are not a valid trace */
    enum plan_gap gap;
};

/* Update the ring by what the hardware did. Moves ring->written. */
struct plan_drain plan_drain(struct region_ring *ring, const struct plan_snapshot *snapshot);

#define PLAN_MAX_ENTRIES 2u

struct plan_rearm {
    bool stall;         /* no region is free: the other fields are invalid, wait for a release and try again */
    bool write_ptrs;    /* write output_base and output_mask_ptrs */
    bool rewrite_table; /* write all entries, not only those below */
    uint32_t nr_entries;
    struct {
        uint32_t index; /* in the tables' memory: entries of 8 bytes from its start */
        uint64_t value;
    } entries[PLAN_MAX_ENTRIES]; /* region ring: the entry that loses STOP, and the one that gets it */
    uint64_t output_base, output_mask_ptrs;
    uint64_t rtit_status; /* Error and Stopped clear, PacketByteCnt 0: the next byte begins a PSB+ */
    uint64_t canary;      /* put a canary at this offset in bytes from the first region's start; or CANARY_NONE */
};

/* How to continue after a drain, when the sink has released all bytes before offset released. Moves ring->released and
 * limit. */
struct plan_rearm plan_rearm(struct region_ring *ring, const struct plan_drain *drain,
                             const struct plan_snapshot *snapshot, uint64_t released);

bool plan_is_stopped(const struct plan_snapshot *snapshot);

/* Stopped, if a TraceStop range has set it (SDM "TraceStop", 36.2.5.3) and not the end of a region; otherwise 0. */
uint64_t plan_stays_stopped(const struct plan_drain *drain, const struct plan_snapshot *snapshot);

#endif
