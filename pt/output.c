/* The schemes behind one table of functions. Core; see pt/output.h. */
#include "pt/output.h"
#include "pt/scheme.h"

/* --- ToPA with several entries --------------------------------------------------------------------------------------
 */

static bool topa_take(struct output *output, const struct plan_snapshot *snapshot)
{
    struct topa_ptrs ptrs = topa_ptrs_unpack(snapshot->output_base, snapshot->output_mask_ptrs);
    return ring_take(&output->ring, ptrs, plan_is_stopped(snapshot));
}

static struct plan_drain topa_drain(struct output *output, const struct plan_snapshot *snapshot)
{
    return plan_drain(&output->ring, snapshot);
}

static bool topa_hand_over(struct output *output, uint64_t end, struct ring_span *span)
{
    return ring_hand_over(&output->ring, end, span);
}

static struct plan_rearm topa_rearm(struct output *output, const struct plan_drain *drain,
                                    const struct plan_snapshot *snapshot, uint64_t released)
{
    return plan_rearm(&output->ring, drain, snapshot, released);
}

static void topa_forget(struct output *output)
{
    ring_forget(&output->ring);
}

static uint64_t topa_entry(const struct output *output, uint32_t slot)
{
    return ring_entry(&output->ring, slot);
}

static uint32_t topa_nr_slots(const struct output *output)
{
    return ring_nr_slots(&output->ring);
}

static bool topa_due(const struct output *output, uint64_t output_mask_ptrs)
{
    return ring_at_stop(&output->ring, output_mask_ptrs);
}

static const struct output_scheme topa = {.take = topa_take,
                                          .drain = topa_drain,
                                          .hand_over = topa_hand_over,
                                          .rearm = topa_rearm,
                                          .forget = topa_forget,
                                          .entry = topa_entry,
                                          .nr_slots = topa_nr_slots,
                                          .due = topa_due,
                                          .pmis = true};

/* --- ToPA with one entry --------------------------------------------------------------------------------------------
 */

static bool single_take(struct output *output, const struct plan_snapshot *snapshot)
{
    return lone_take(&output->lone, snapshot) == LONE_TAKEN;
}

static struct plan_drain single_drain(struct output *output, const struct plan_snapshot *snapshot)
{
    return lone_drain(&output->lone, snapshot);
}

static bool single_hand_over(struct output *output, uint64_t end, struct ring_span *span)
{
    return lone_hand_over(&output->lone, end, span);
}

static struct plan_rearm single_rearm(struct output *output, const struct plan_drain *drain,
                                      const struct plan_snapshot *snapshot, uint64_t released)
{
    return lone_rearm(&output->lone, drain, snapshot, released);
}

static void single_forget(struct output *output)
{
    lone_forget(&output->lone);
}

static uint64_t single_entry(const struct output *output, uint32_t slot)
{
    return lone_entry(&output->lone, slot);
}

static uint32_t single_nr_slots(const struct output *output)
{
    return output->lone.parts + 1;
}

static uint64_t single_canary(const struct output *output)
{
    return lone_canary(&output->lone);
}

static bool single_due(const struct output *output, uint64_t output_mask_ptrs)
{
    return lone_filled(&output->lone, output_mask_ptrs);
}

static const struct output_scheme single = {.take = single_take,
                                            .drain = single_drain,
                                            .hand_over = single_hand_over,
                                            .rearm = single_rearm,
                                            .forget = single_forget,
                                            .entry = single_entry,
                                            .nr_slots = single_nr_slots,
                                            .canary = single_canary,
                                            .due = single_due,
                                            .pmis = true};

/* --- a single range -------------------------------------------------------------------------------------------------
 */

static bool one_range_take(struct output *output, const struct plan_snapshot *snapshot)
{
    return range_take(&output->range, snapshot) == RANGE_TAKEN;
}

static struct plan_drain one_range_drain(struct output *output, const struct plan_snapshot *snapshot)
{
    return range_drain(&output->range, snapshot);
}

static bool one_range_hand_over(struct output *output, uint64_t end, struct ring_span *span)
{
    return range_hand_over(&output->range, end, span);
}

static struct plan_rearm one_range_rearm(struct output *output, const struct plan_drain *drain,
                                         const struct plan_snapshot *snapshot, uint64_t released)
{
    return range_rearm(&output->range, drain, snapshot, released);
}

static uint32_t one_range_nr_slots(const struct output *output)
{
    (void)output;
    return 0;
}

static uint64_t one_range_canary(const struct output *output)
{
    return range_canary(&output->range);
}

static bool one_range_due(const struct output *output, uint64_t output_mask_ptrs)
{
    return range_due(&output->range, output_mask_ptrs);
}

static const struct output_scheme one_range = {.take = one_range_take,
                                               .drain = one_range_drain,
                                               .hand_over = one_range_hand_over,
                                               .rearm = one_range_rearm,
                                               .nr_slots = one_range_nr_slots,
                                               .canary = one_range_canary,
                                               .due = one_range_due};

/* --- the start ------------------------------------------------------------------------------------------------------
 */

struct output output_make(enum pt_scheme scheme, bool mentry, const struct pt_options *config, uint64_t tables_pa,
                          uint64_t regions_pa)
{
    struct output output;
    uint32_t region_bytes = (uint32_t)config->region_bytes;
    if (scheme == PT_SCHEME_RANGE) {
        output.range = range_make(regions_pa, pt_scheme_range_bytes(config));
        output.scheme = &one_range;
    } else if (scheme == PT_SCHEME_SINGLE) {
        output.lone = lone_make(tables_pa, regions_pa, region_bytes, config->nr_regions, config->stop, mentry);
        output.scheme = &single;
    } else {
        output.ring = ring_make(tables_pa, regions_pa, region_bytes, config->nr_regions);
        output.scheme = &topa;
    }
    return output;
}

struct plan_rearm output_start(const struct output *output)
{
    struct plan_rearm plan = {.rewrite_table = true, .write_ptrs = true, .canary = CANARY_NOWHERE};
    if (output->scheme->canary)
        plan.canary = output->scheme->canary(output);
    if (output->scheme == &one_range) {
        plan.output_base = output->range.base_pa;
        plan.output_mask_ptrs = range_mask_ptrs(&output->range);
    } else {
        struct topa_ptrs ptrs = output->scheme == &single ? lone_ptrs(&output->lone) : ring_ptrs(&output->ring);
        plan.output_base = ptrs.table_pa;
        plan.output_mask_ptrs = topa_ptrs_pack(ptrs);
    }
    return plan;
}
