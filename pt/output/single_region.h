/*
 * Single-output-region ToPA: a table of one entry and an END that leads back to it. There are several regions, of which
 * one is armed at a time. A drain submits what the region holds and arms the next one. A region therefore contributes
 * to the stream as many bytes as were used of it, and no memory is overwritten before it is released.
 *
 * The PMI comes before the region is full. With STOP, tracing stops at the region's end. Without it, output wraps
 * within the region: a canary at the region's end shows that, and the region's bytes are given up.
 *
 * On a part whose tables hold several entries the PMI comes when an entry's region is full. There the armed region has
 * two entries, one for each half, so that the PMI of the first leaves the second for the PMI's skid.
 *
 * Source: SDM "Single Output Region ToPA Implementation", "ToPA PMI and Single Output Region ToPA Implementation"
 * (36.2.6.2).
 */
#ifndef PT_OUTPUT_SINGLE_REGION_H
#define PT_OUTPUT_SINGLE_REGION_H

#include "pt/output/plan.h"

#define SINGLE_REGION_MAX_REGIONS 120u /* each needs one of the sink's SINK_MAX_SPANS spans */

struct single_region {
    uint64_t written, submitted, released; /* as in struct region_ring */
    uint64_t start;                        /* stream offset of the armed region's first byte */
    uint64_t table_pa, regions_pa;
    uint32_t nr_regions, region_bytes;
    uint32_t parts, part_bytes;               /* entries for a region: 1 or 2 */
    uint64_t entry_bits;                      /* of each: INT, and the size's code */
    uint32_t armed;                           /* the region's number */
    bool stop;                                /* STOP on the entry */
    bool spent;                               /* the armed region was submitted: arm the next one */
    uint64_t ends[SINGLE_REGION_MAX_REGIONS]; /* stream offset of the end of what each region held last */
};

/* Region 0 is armed. nr_regions is 2 to SINGLE_REGION_MAX_REGIONS, alignments as for a region ring. mentry:
 * CPUID.14H:ECX.MENTRY; two entries need a region of 8 KiB. */
struct single_region single_region_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes,
                                        uint32_t nr_regions, bool stop, bool mentry);

/* The entry in a slot: of the region or its half, or END. */
uint64_t single_region_entry(const struct single_region *single, uint32_t slot);

/* The canary's offset in bytes from the first region's start; CANARY_NONE with STOP. */
uint64_t single_region_canary(const struct single_region *single);

/* The output pointers for the next byte, at stream offset written. */
struct topa_ptrs single_region_ptrs(const struct single_region *single);

enum single_region_result { SINGLE_REGION_UPDATED, SINGLE_REGION_WRAPPED, SINGLE_REGION_IMPOSSIBLE };

/* Advance written to where the output pointers are, if the result is SINGLE_REGION_UPDATED. */
enum single_region_result single_region_update(struct single_region *single, const struct plan_snapshot *snapshot);

/* Does IA32_RTIT_OUTPUT_MASK_PTRS say that seven eighths of the region are used? Then its PMI may have been lost. */
bool single_region_filled(const struct single_region *single, uint64_t output_mask_ptrs);

struct plan_drain single_region_drain(struct single_region *single, const struct plan_snapshot *snapshot);
bool single_region_next_span(struct single_region *single, uint64_t end, struct region_span *span);

/* Flight recorder, before rearm: drop the oldest region if its memory is needed. Nothing is dropped while submitted
 * bytes are not released. */
void single_region_drop_oldest(struct single_region *single);

struct plan_rearm single_region_rearm(struct single_region *single, const struct plan_drain *drain,
                                      const struct plan_snapshot *snapshot, uint64_t released);

#endif
