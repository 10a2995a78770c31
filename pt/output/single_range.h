/*
 * Single-range output: one piece of memory without a table, round which the hardware writes. No PMI comes and nothing
 * stops it: it is looked at at VM exits, and when it may write over bytes that were not yet released, that must be
 * found out.
 *
 * The byte with stream offset s lies at s modulo the range's size. A canary stands before the oldest byte that was not
 * released: where it is gone and the pointers do not explain it, output has been round, and what was not released is
 * void. While nothing is on its way to the receiver, the canary stands on the newest bytes, which come back when it is
 * lifted; where it is gone, the newest bytes are kept, and only how many went before is not known. The flight recorder
 * hands over seldom, so there the range is a circle.
 *
 * Core. Source: SDM "Single-Range Output" (36.2.6.1), Table "IA32_RTIT_OUTPUT_MASK_PTRS MSR".
 */
#ifndef PT_OUTPUT_SINGLE_RANGE_H
#define PT_OUTPUT_SINGLE_RANGE_H

#include "pt/output/plan.h"

#define RANGE_MIN_BYTES 4096u
#define SINGLE_RANGE_MAX_BYTES (1ull << 31)

struct single_range {
    uint64_t written, handed, released; /* as in struct region_ring */
    uint64_t armed;                     /* written, when the canary was set */
    uint64_t canary;                    /* stream offset of the canary's first byte; a multiple of its size */
    uint64_t base_pa;
    uint64_t bytes; /* a power of two */
    bool circles;   /* nothing is on its way to the receiver */
    bool lapped;    /* output has been round, nobody knows how often: the canary is gone */
};

/* base_pa is aligned to bytes. */
struct single_range single_range_make(uint64_t base_pa, uint64_t bytes);

/* Where the canary is, bytes from the range's start. */
uint64_t single_range_canary(const struct single_range *range);

/* IA32_RTIT_OUTPUT_MASK_PTRS for the byte at offset written. */
uint64_t single_range_mask_ptrs(const struct single_range *range);

/* Is it worth a drain, by the pointers as read? It is when an eighth of the range was written since the last one. */
bool single_range_due(const struct single_range *range, uint64_t output_mask_ptrs);

enum single_range_taken { SINGLE_RANGE_TAKEN, SINGLE_RANGE_WRAPPED, SINGLE_RANGE_IMPOSSIBLE };

/* Take the pointers in. Moves written, with SINGLE_RANGE_TAKEN only. */
enum single_range_taken single_range_take(struct single_range *range, const struct plan_snapshot *snapshot);

struct plan_drain single_range_drain(struct single_range *range, const struct plan_snapshot *snapshot);
bool single_range_hand_over(struct single_range *range, uint64_t end, struct region_span *span);

/* Stalls until half of the range is free, or nothing is on its way. */
struct plan_rearm single_range_rearm(struct single_range *range, const struct plan_drain *drain,
                                     const struct plan_snapshot *snapshot, uint64_t released);

#endif
