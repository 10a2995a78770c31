/*
 * The output of one CPU, whichever scheme it has: the state, and the functions for it in one table.
 *
 * A drain calls take or drain with the registers as read, hand_over until it says false or has come to the plan's end,
 * then forget and rearm until it does not stall. What is handed over may begin behind what was handed over last: bytes
 * between are gone. Core.
 */
#ifndef PT_OUTPUT_OUTPUT_H
#define PT_OUTPUT_OUTPUT_H

#include "pt/caps.h"
#include "pt/output/region_ring.h"
#include "pt/output/single_range.h"
#include "pt/output/single_region.h"

/* Each scheme's struct begins with these three, in this order. */
struct output {
    const struct output_scheme *scheme;
    union {
        struct {
            uint64_t written, handed, released;
        };
        struct region_ring region_ring;
        struct single_region single_region;
        struct single_range single_range;
    };
};

struct output_scheme {
    /* Only move written to where the registers say. false: a drain is due, something is wrong. */
    bool (*take)(struct output *output, const struct plan_snapshot *snapshot);
    struct plan_drain (*drain)(struct output *output, const struct plan_snapshot *snapshot);
    bool (*hand_over)(struct output *output, uint64_t end, struct region_span *span);
    /* Flight recorder, before each rearm: forget the oldest bytes, as far as the hardware needs their room to go on.
     * NULL: the hardware writes over them. */
    void (*forget)(struct output *output);
    struct plan_rearm (*rearm)(struct output *output, const struct plan_drain *drain,
                               const struct plan_snapshot *snapshot, uint64_t released);
    /* The entry in a slot of the tables, and how many slots there are. NULL, 0: no tables. */
    uint64_t (*entry)(const struct output *output, uint32_t slot);
    uint32_t (*nr_slots)(const struct output *output);
    /* Where the canary is at the start, or CANARY_NOWHERE. NULL: never a canary. */
    uint64_t (*canary)(const struct output *output);
    /* By IA32_RTIT_OUTPUT_MASK_PTRS as read: is a drain due? */
    bool (*due)(const struct output *output, uint64_t output_mask_ptrs);
    bool pmis; /* PMIs tell when one is: look for a lost one from time to time only */
};

/* tables_pa: REGION_RING_MAX_TABLES pages at most, aligned. regions_pa: aligned as pt_scheme_align says. scheme is not
 * AUTO; config has passed pt_scheme_resolve. mentry: CPUID.14H:ECX.MENTRY. */
struct output output_make(enum pt_scheme scheme, bool mentry, const struct pt_options *config, uint64_t tables_pa,
                          uint64_t regions_pa);

/* The output registers for the start. */
struct plan_rearm output_start(const struct output *output);

#endif
