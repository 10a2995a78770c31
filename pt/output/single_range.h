/*
 * Single-range output: one contiguous range of memory without a table, which the hardware writes as a circular buffer.
 * It raises no PMI and has no STOP: VM exits poll it, and must detect that it has overwritten bytes that were not
 * released.
 *
 * The byte with stream offset s is at s modulo the range's size. A canary precedes the oldest byte that is not
 * released. If the canary is gone and the output pointer does not explain that, output has wrapped, and all unreleased
 * bytes are void. While no submitted bytes are unreleased (circular), the canary lies on the newest bytes, which are
 * restored when it is lifted. If it is gone then, the newest bytes are kept, and only the number of bytes before them
 * is unknown. With the flight recorder, which submits rarely, this is the usual state.
 *
 * Source: SDM "Single-Range Output" (36.2.6.1), Table "IA32_RTIT_OUTPUT_MASK_PTRS MSR".
 */
#ifndef PT_OUTPUT_SINGLE_RANGE_H
#define PT_OUTPUT_SINGLE_RANGE_H

#include "pt/output/plan.h"

#define SINGLE_RANGE_MAX_BYTES (1ull << 31)

struct single_range {
    uint64_t written, submitted, released; /* as in struct region_ring */
    uint64_t armed;                        /* written, when the canary was set */
    uint64_t canary;                       /* stream offset of the canary's first byte; a multiple of its size */
    uint64_t base_pa;
    uint64_t bytes; /* a power of two */
    bool circular;  /* no submitted byte is unreleased: the hardware may overwrite the oldest bytes */
    bool wrapped;   /* the canary is gone: output has wrapped an unknown number of times */
};

/* base_pa is aligned to bytes. */
struct single_range single_range_make(uint64_t base_pa, uint64_t bytes);

/* The canary's offset in bytes from the range's start. */
uint64_t single_range_canary(const struct single_range *range);

/* IA32_RTIT_OUTPUT_MASK_PTRS for the byte at offset written. */
uint64_t single_range_mask_ptrs(const struct single_range *range);

/* Is a drain due? It is if an eighth of the range was written since the last one. */
bool single_range_due(const struct single_range *range, uint64_t output_mask_ptrs);

enum single_range_result { SINGLE_RANGE_UPDATED, SINGLE_RANGE_WRAPPED, SINGLE_RANGE_IMPOSSIBLE };

/* Advance written to where the output pointer is, if the result is SINGLE_RANGE_UPDATED. */
enum single_range_result single_range_update(struct single_range *range, const struct plan_snapshot *snapshot);

struct plan_drain single_range_drain(struct single_range *range, const struct plan_snapshot *snapshot);
bool single_range_next_span(struct single_range *range, uint64_t end, struct region_span *span);

/* Stalls until half of the range is free, or all submitted bytes are released. */
struct plan_rearm single_range_rearm(struct single_range *range, const struct plan_drain *drain,
                                     const struct plan_snapshot *snapshot, uint64_t released);

#endif
