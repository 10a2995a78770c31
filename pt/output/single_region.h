/*
 * Single-output-region ToPA: a table of one entry and an END back to it. Several regions are kept, one is armed at a
 * time. A drain hands over what the region holds, and arms the next one: so a region's bytes in the stream are as many
 * as were used, and memory is not written again before it was released.
 *
 * The PMI comes before the region is full. With STOP, tracing ends at its end; without, output wraps within the region:
 * a canary at the region's end shows it, and what the region held is given up.
 *
 * On a part whose tables hold several entries the PMI comes when an entry's region is full, so there the armed region
 * has two entries, its halves: the first one's PMI leaves the second one for the skid.
 *
 * Core. Source: SDM "Single Output Region ToPA Implementation", "ToPA PMI and Single Output Region ToPA
 * Implementation" (36.2.6.2).
 */
#ifndef PT_OUTPUT_SINGLE_REGION_H
#define PT_OUTPUT_SINGLE_REGION_H

#include "pt/output/plan.h"

#define SINGLE_REGION_MAX_REGIONS 120u /* a span each at the sink, which takes SINK_MAX_SPANS */

struct single_region {
    uint64_t written, handed, released; /* as in struct region_ring */
    uint64_t start;                     /* stream offset of the armed region's first byte */
    uint64_t table_pa, regions_pa;
    uint32_t nr_regions, region_bytes;
    uint32_t parts, part_bytes;               /* entries for a region: 1 or 2 */
    uint64_t entry_bits;                      /* of each: INT, and the size's code */
    uint32_t armed;                           /* the region's number */
    bool stop;                                /* STOP on the entry */
    bool spent;                               /* the armed region was handed over: the next one is due */
    uint64_t ends[SINGLE_REGION_MAX_REGIONS]; /* stream offset behind what each region held last */
};

/* Region 0 is armed. nr_regions is 2 to SINGLE_REGION_MAX_REGIONS, alignments as for a region ring. mentry:
 * CPUID.14H:ECX.MENTRY; two entries need a region of 8 KiB. */
struct single_region single_region_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes,
                                        uint32_t nr_regions, bool stop, bool mentry);

/* The entry in a slot: the region's, and END. */
uint64_t single_region_entry(const struct single_region *single, uint32_t slot);

/* Where the canary is, bytes from the first region's start; CANARY_NOWHERE with STOP. */
uint64_t single_region_canary(const struct single_region *single);

/* The pointers for the armed region: where the byte at offset written goes. */
struct topa_ptrs single_region_ptrs(const struct single_region *single);

enum single_region_taken { SINGLE_REGION_TAKEN, SINGLE_REGION_WRAPPED, SINGLE_REGION_IMPOSSIBLE };

/* Take the pointers in. Moves written, with SINGLE_REGION_TAKEN only. */
enum single_region_taken single_region_take(struct single_region *single, const struct plan_snapshot *snapshot);

/* By IA32_RTIT_OUTPUT_MASK_PTRS: seven eighths of the region are used, and its PMI may have been lost. */
bool single_region_filled(const struct single_region *single, uint64_t output_mask_ptrs);

struct plan_drain single_region_drain(struct single_region *single, const struct plan_snapshot *snapshot);
bool single_region_hand_over(struct single_region *single, uint64_t end, struct region_span *span);

/* Flight recorder, before rearm: forget the oldest region, where its memory is needed to go on. Nothing is forgotten
 * while bytes handed over before are not released. */
void single_region_forget(struct single_region *single);

struct plan_rearm single_region_rearm(struct single_region *single, const struct plan_drain *drain,
                                      const struct plan_snapshot *snapshot, uint64_t released);

#endif
