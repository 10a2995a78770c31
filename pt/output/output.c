/* Kind: core */
/* The table of functions of each output scheme: see pt/output/output.h. */
#include "pt/output/output.h"
#include "pt/output/scheme.h"

/* --- ToPA with several entries --------------------------------------------------------------------------------------
 */

static bool output_topa_update(struct output *output, const struct plan_snapshot *snapshot)
{
    struct topa_ptrs ptrs = topa_ptrs_unpack(snapshot->output_base, snapshot->output_mask_ptrs);
    return region_ring_update(&output->region_ring, ptrs, plan_is_stopped(snapshot));
}

static struct plan_drain output_topa_drain(struct output *output, const struct plan_snapshot *snapshot)
{
    return plan_drain(&output->region_ring, snapshot);
}

static bool output_topa_next_span(struct output *output, uint64_t end, struct region_span *span)
{
    return region_ring_next_span(&output->region_ring, end, span);
}

static struct plan_rearm output_topa_rearm(struct output *output, const struct plan_drain *drain,
                                           const struct plan_snapshot *snapshot, uint64_t released)
{
    return plan_rearm(&output->region_ring, drain, snapshot, released);
}

static void output_topa_drop_oldest(struct output *output)
{
    region_ring_drop_oldest(&output->region_ring);
}

static uint64_t output_topa_entry(const struct output *output, uint32_t slot)
{
    return region_ring_entry(&output->region_ring, slot);
}

static uint32_t output_topa_nr_slots(const struct output *output)
{
    return region_ring_nr_slots(&output->region_ring);
}

static bool output_topa_due(const struct output *output, uint64_t output_mask_ptrs)
{
    return region_ring_at_stop(&output->region_ring, output_mask_ptrs);
}

static const struct output_scheme topa_scheme = {.update = output_topa_update,
                                                 .drain = output_topa_drain,
                                                 .next_span = output_topa_next_span,
                                                 .rearm = output_topa_rearm,
                                                 .drop_oldest = output_topa_drop_oldest,
                                                 .entry = output_topa_entry,
                                                 .nr_slots = output_topa_nr_slots,
                                                 .due = output_topa_due,
                                                 .pmis = true};

/* --- ToPA with one entry --------------------------------------------------------------------------------------------
 */

static bool output_single_update(struct output *output, const struct plan_snapshot *snapshot)
{
    return single_region_update(&output->single_region, snapshot) == SINGLE_REGION_UPDATED;
}

static struct plan_drain output_single_drain(struct output *output, const struct plan_snapshot *snapshot)
{
    return single_region_drain(&output->single_region, snapshot);
}

static bool output_single_next_span(struct output *output, uint64_t end, struct region_span *span)
{
    return single_region_next_span(&output->single_region, end, span);
}

static struct plan_rearm output_single_rearm(struct output *output, const struct plan_drain *drain,
                                             const struct plan_snapshot *snapshot, uint64_t released)
{
    return single_region_rearm(&output->single_region, drain, snapshot, released);
}

static void output_single_drop_oldest(struct output *output)
{
    single_region_drop_oldest(&output->single_region);
}

static uint64_t output_single_entry(const struct output *output, uint32_t slot)
{
    return single_region_entry(&output->single_region, slot);
}

static uint32_t output_single_nr_slots(const struct output *output)
{
    return output->single_region.parts + 1;
}

static uint64_t output_single_canary(const struct output *output)
{
    return single_region_canary(&output->single_region);
}

static bool output_single_due(const struct output *output, uint64_t output_mask_ptrs)
{
    return single_region_filled(&output->single_region, output_mask_ptrs);
}

static const struct output_scheme single_region_scheme = {.update = output_single_update,
                                                          .drain = output_single_drain,
                                                          .next_span = output_single_next_span,
                                                          .rearm = output_single_rearm,
                                                          .drop_oldest = output_single_drop_oldest,
                                                          .entry = output_single_entry,
                                                          .nr_slots = output_single_nr_slots,
                                                          .canary = output_single_canary,
                                                          .due = output_single_due,
                                                          .pmis = true,
                                                          .ends_region = true};

/* --- a single range -------------------------------------------------------------------------------------------------
 */

static bool output_range_update(struct output *output, const struct plan_snapshot *snapshot)
{
    return single_range_update(&output->single_range, snapshot) == SINGLE_RANGE_UPDATED;
}

static struct plan_drain output_range_drain(struct output *output, const struct plan_snapshot *snapshot)
{
    return single_range_drain(&output->single_range, snapshot);
}

static bool output_range_next_span(struct output *output, uint64_t end, struct region_span *span)
{
    return single_range_next_span(&output->single_range, end, span);
}

static struct plan_rearm output_range_rearm(struct output *output, const struct plan_drain *drain,
                                            const struct plan_snapshot *snapshot, uint64_t released)
{
    return single_range_rearm(&output->single_range, drain, snapshot, released);
}

static uint32_t output_range_nr_slots(const struct output *output)
{
    (void)output;
    return 0;
}

static uint64_t output_range_canary(const struct output *output)
{
    return single_range_canary(&output->single_range);
}

static bool output_range_due(const struct output *output, uint64_t output_mask_ptrs)
{
    return single_range_due(&output->single_range, output_mask_ptrs);
}

static const struct output_scheme single_range_scheme = {.update = output_range_update,
                                                         .drain = output_range_drain,
                                                         .next_span = output_range_next_span,
                                                         .rearm = output_range_rearm,
                                                         .nr_slots = output_range_nr_slots,
                                                         .canary = output_range_canary,
                                                         .due = output_range_due};

/* --- the start ------------------------------------------------------------------------------------------------------
 */

struct output output_make(enum pt_scheme scheme, bool mentry, const struct pt_options *config, uint64_t tables_pa,
                          uint64_t regions_pa)
{
    struct output output;
    uint32_t region_bytes = (uint32_t)config->region_bytes;
    if (scheme == PT_SCHEME_RANGE) {
        output.single_range = single_range_make(regions_pa, pt_scheme_range_bytes(config));
        output.scheme = &single_range_scheme;
    } else if (scheme == PT_SCHEME_SINGLE) {
        output.single_region =
            single_region_make(tables_pa, regions_pa, region_bytes, config->nr_regions, config->stop, mentry);
        output.scheme = &single_region_scheme;
    } else {
        output.region_ring = region_ring_make(tables_pa, regions_pa, region_bytes, config->nr_regions);
        output.scheme = &topa_scheme;
    }
    return output;
}

void output_begin_at(struct output *output, uint64_t offset)
{
    output->written = output->submitted = output->released = offset;
    if (output->scheme == &single_range_scheme) {
        output->single_range.armed = offset;
        output->single_range.canary += offset;
    } else if (output->scheme == &single_region_scheme) {
        output->single_region.start = offset;
    } else {
        output->region_ring.limit += offset;
    }
}

struct plan_rearm output_start(const struct output *output)
{
    struct plan_rearm plan = {.rewrite_table = true, .write_ptrs = true, .canary = CANARY_NONE};
    if (output->scheme->canary)
        plan.canary = output->scheme->canary(output);
    if (output->scheme == &single_range_scheme) {
        plan.output_base = output->single_range.base_pa;
        plan.output_mask_ptrs = single_range_mask_ptrs(&output->single_range);
    } else {
        struct topa_ptrs ptrs = output->scheme == &single_region_scheme ? single_region_ptrs(&output->single_region)
                                                                        : region_ring_ptrs(&output->region_ring);
        plan.output_base = ptrs.table_pa;
        plan.output_mask_ptrs = topa_ptrs_pack(ptrs);
    }
    return plan;
}
