/*
 * The output of one CPU in any scheme: its state, and a table of the scheme's functions.
 *
 * A drain calls drain with the registers as read, next_span until it returns false or reaches the plan's end, then
 * drop_oldest, and rearm until it does not stall. If a span begins after the end of the last one, the bytes between are
 * lost.
 */
#ifndef PT_OUTPUT_OUTPUT_H
#define PT_OUTPUT_OUTPUT_H

#include "pt/caps.h"
#include "pt/output/region_ring.h"
#include "pt/output/single_range.h"
#include "pt/output/single_region.h"

/* Each scheme's struct begins with the three offsets written, submitted and released. */
struct output {
    const struct output_scheme *scheme;
    union {
        struct {
            uint64_t written, submitted, released;
        };
        struct region_ring region_ring;
        struct single_region single_region;
        struct single_range single_range;
    };
};

struct output_scheme {
    /* Only advance written to where the registers say. false: something is wrong, a drain is due. */
    bool (*update)(struct output *output, const struct plan_snapshot *snapshot);
    struct plan_drain (*drain)(struct output *output, const struct plan_snapshot *snapshot);
    bool (*next_span)(struct output *output, uint64_t end, struct region_span *span);
    /* Flight recorder, before each rearm: drop the oldest bytes, as far as the hardware needs their memory to continue.
     * NULL: the hardware overwrites them. */
    void (*drop_oldest)(struct output *output);
    struct plan_rearm (*rearm)(struct output *output, const struct plan_drain *drain,
                               const struct plan_snapshot *snapshot, uint64_t released);
    /* The entry in a slot of the ToPA tables, and the number of slots. NULL and 0: no tables. */
    uint64_t (*entry)(const struct output *output, uint32_t slot);
    uint32_t (*nr_slots)(const struct output *output);
    /* The canary's initial offset, or CANARY_NONE. NULL: the scheme has no canary. */
    uint64_t (*canary)(const struct output *output);
    /* Does IA32_RTIT_OUTPUT_MASK_PTRS say that a drain is due? */
    bool (*due)(const struct output *output, uint64_t output_mask_ptrs);
    bool pmis;        /* PMIs announce drains, so that the pointers need only an occasional check */
    bool ends_region; /* a drain of all bytes takes the rest of the region in use with it */
};

/* tables_pa: up to REGION_RING_MAX_TABLES pages, aligned. regions_pa: aligned as pt_scheme_align says. scheme is not
 * AUTO; pt_scheme_resolve has accepted config. mentry: CPUID.14H:ECX.MENTRY. */
struct output output_make(enum pt_scheme scheme, bool mentry, const struct pt_options *config, uint64_t tables_pa,
                          uint64_t regions_pa);

/* Begin at this offset of the stream, a multiple of the bytes of memory: nothing was written before. */
void output_begin_at(struct output *output, uint64_t offset);

/* The initial values of the output registers. */
struct plan_rearm output_start(const struct output *output);

#endif
