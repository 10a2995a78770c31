/* A processor that writes trace into memory, and a receiver that checks what it is given; see fake_output.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/pt/output/fake_output.h"

/* --- the processor --------------------------------------------------------------------------------------------------
 */

static uint64_t read_entry(void *context, uint64_t pa)
{
    struct fake *fake = context;
    uint32_t slots = fake->out.scheme->nr_slots(&fake->out);
    assert_in_range(pa, TABLES_PA, TABLES_PA + 8ull * (slots - 1));
    return fake->tables[(pa - TABLES_PA) / 8];
}

static void put_byte(struct fake *fake, uint64_t place)
{
    assert_in_range(place, 0, fake->memory_bytes - 1);
    fake->memory[place] = fake->made;
}

static void write_topa(struct fake *fake)
{
    if (!fake->loaded) {
        enum topa_error error = topa_walk_load(&fake->walk, read_entry, fake, 39, !fake->setup.mentry);
        assert_int_equal(error, TOPA_OK);
        fake->loaded = true;
    }
    put_byte(fake, topa_walk_pa(&fake->walk) - REGIONS_PA);
    unsigned events = topa_walk_advance(&fake->walk, 1);
    if (events & TOPA_FILLED)
        fake->loaded = false;
    if (events & TOPA_FILLED_STOP)
        fake->status |= RTIT_STATUS_STOPPED;
    if (fake->setup.mentry && events & TOPA_FILLED_INT)
        fake->pmi = true;
    /* With a single region the PMI comes before the end, once a lap. */
    if (!fake->setup.mentry && fake->walk.ptrs.offset == fake->setup.region_bytes - fake->setup.early)
        fake->pmi = true;
}

static void write_range(struct fake *fake)
{
    put_byte(fake, fake->range_offset);
    fake->range_offset = (fake->range_offset + 1) % fake->memory_bytes;
}

void fake_write(struct fake *fake, uint64_t bytes, bool until_pmi)
{
    for (; bytes > 0 && !(until_pmi && fake->pmi); bytes--) {
        fake->made++;
        if (fake->status & (RTIT_STATUS_STOPPED | RTIT_STATUS_ERROR))
            continue;
        if (fake->setup.scheme == PT_SCHEME_RANGE)
            write_range(fake);
        else
            write_topa(fake);
    }
}

void fake_break(struct fake *fake)
{
    fake->status |= RTIT_STATUS_ERROR;
    switch (fake_random(fake, 3)) {
    case 0:
        fake->walk.ptrs.table_pa ^= 0x500000;
        break;
    case 1:
        fake->walk.ptrs.offset = 0x7fffffff;
        break;
    default:
        break; /* the pointers are as they were */
    }
    if (fake->setup.scheme != PT_SCHEME_RANGE)
        fake->tables[fake_random(fake, fake->out.scheme->nr_slots(&fake->out))] ^= 0x2;
}

static bool canary_byte_is_intact(const struct fake *fake, uint32_t i)
{
    return fake->memory[fake->canary + i] == CANARY_SEQ + i;
}

static uint32_t canary_intact(const struct fake *fake)
{
    uint32_t bytes = 0;
    if (fake->canary == CANARY_NONE)
        return CANARY_WORDS;
    while (bytes < CANARY_BYTES && canary_byte_is_intact(fake, CANARY_BYTES - 1 - bytes))
        bytes++;
    return bytes / 8;
}

/* As in the shell, pt/registers.c. */
static void canary_lift(struct fake *fake)
{
    for (uint32_t i = 0; fake->canary != CANARY_NONE && i < CANARY_BYTES; i++)
        if (canary_byte_is_intact(fake, i))
            fake->memory[fake->canary + i] = fake->canary_saved[i];
    fake->canary = CANARY_NONE;
}

static void canary_move(struct fake *fake, uint64_t place)
{
    assert_in_range(place, 0, fake->memory_bytes - CANARY_BYTES);
    canary_lift(fake);
    fake->canary = place;
    for (uint32_t i = 0; i < CANARY_BYTES; i++) {
        fake->canary_saved[i] = fake->memory[place + i];
        fake->memory[place + i] = CANARY_SEQ + i;
    }
}

static struct plan_snapshot snapshot(const struct fake *fake, bool all)
{
    struct plan_snapshot s = {.rtit_status = fake->status,
                              .output_base = fake->walk.ptrs.table_pa,
                              .output_mask_ptrs = topa_ptrs_pack(fake->walk.ptrs),
                              .all = all,
                              .canary_left = canary_intact(fake)};
    if (fake->setup.scheme == PT_SCHEME_RANGE)
        s.output_mask_ptrs = fake->range_offset << 32 | (fake->memory_bytes - 1);
    return s;
}

static void apply(struct fake *fake, const struct plan_rearm *plan)
{
    uint32_t slots = fake->out.scheme->nr_slots(&fake->out);
    assert_true(plan->nr_entries <= PLAN_MAX_ENTRIES);
    for (uint32_t i = 0; i < plan->nr_entries; i++)
        fake->tables[plan->entries[i].index] = plan->entries[i].value;
    for (uint32_t i = 0; i < slots; i++) {
        if (plan->rewrite_table)
            fake->tables[i] = fake->out.scheme->entry(&fake->out, i);
        assert_int_equal(fake->tables[i], fake->out.scheme->entry(&fake->out, i));
    }
    if (plan->canary != CANARY_NONE)
        canary_move(fake, plan->canary);
    if (plan->write_ptrs) {
        fake->walk.ptrs = topa_ptrs_unpack(plan->output_base, plan->output_mask_ptrs);
        fake->range_offset = plan->output_mask_ptrs >> 32;
    }
    fake->status = plan->rtit_status;
    fake->loaded = false;
}

/* --- the receiver ---------------------------------------------------------------------------------------------------
 */

static void receive(struct fake *fake, const struct region_span *span)
{
    assert_int_equal(span->offset, fake->received);
    assert_true(span->memory_offset + span->size <= fake->memory_bytes);
    assert_true(span->offset + span->size < fake->setup.stream_max);
    for (uint32_t i = 0; i < span->size; i++) {
        fake->got[span->offset + i] = fake->memory[span->memory_offset + i];
        fake->place[span->offset + i] = (uint32_t)span->memory_offset + i;
    }
    fake->received += span->size;
}

void fake_release(struct fake *fake)
{
    uint64_t to = fake->released + fake_random(fake, fake->received - fake->released + 1);
    for (; fake->released < to; fake->released++)
        if (fake->memory[fake->place[fake->released]] != fake->got[fake->released])
            fake->marks[fake->released] |= FAKE_DAMAGED;
}

static void note_gap(struct fake *fake, const struct plan_drain *plan)
{
    if (plan->gap == PLAN_NO_GAP)
        return;
    fake->gaps++;
    fake->overruns += plan->gap == PLAN_GAP_OVERRUN;
    assert_true(plan->gap_at + plan->gap_size <= fake->out.written);
    for (uint64_t i = 0; i < plan->gap_size; i++)
        fake->marks[plan->gap_at + i] |= FAKE_VOID;
    fake->marks[plan->gap_at + plan->gap_size] |= FAKE_AFTER_GAP;
}

/* Flight recorder has forgotten what comes before, or a range's output went over it. */
static void forget(struct fake *fake, uint64_t to)
{
    if (to == fake->received)
        return;
    assert_true((fake->setup.recorder || !fake->out.scheme->drop_oldest) && to > fake->received &&
                fake->released == fake->received);
    assert_true(to < fake->setup.stream_max);
    while (fake->received < to)
        fake->marks[fake->received++] |= FAKE_VOID;
    fake->released = to;
}

static void next_span(struct fake *fake, const struct plan_drain *plan)
{
    struct region_span span;
    if (plan->submit_end == fake->received)
        return;
    if (fake->setup.recorder && plan->submit_end - plan->submit_from < fake->kept_min &&
        plan->submit_from != fake->received)
        fake->kept_min = plan->submit_end - plan->submit_from;
    forget(fake, plan->submit_from);
    canary_lift(fake);
    while (fake->out.scheme->next_span(&fake->out, plan->submit_end, &span))
        receive(fake, &span);
    assert_int_equal(plan->submit_end, fake->received);
}

void fake_drain(struct fake *fake, bool all)
{
    struct plan_snapshot s = snapshot(fake, all);
    struct plan_drain plan = fake->out.scheme->drain(&fake->out, &s);
    fake->pmi = false;
    if (all || !fake->setup.recorder)
        next_span(fake, &plan);
    note_gap(fake, &plan);
    if (all)
        assert_int_equal(fake->received, fake->out.written);
    struct plan_rearm rearm;
    for (;;) {
        if (fake->setup.recorder && fake->out.scheme->drop_oldest)
            fake->out.scheme->drop_oldest(&fake->out);
        rearm = fake->out.scheme->rearm(&fake->out, &plan, &s, fake->released);
        if (!rearm.stall)
            break;
        fake->stalls++;
        fake_release(fake);
    }
    apply(fake, &rearm);
}

bool fake_due(const struct fake *fake)
{
    return fake->out.scheme->due(&fake->out, snapshot(fake, false).output_mask_ptrs);
}

bool fake_take(struct fake *fake)
{
    struct plan_snapshot s = snapshot(fake, false);
    return fake->out.scheme->update(&fake->out, &s);
}

void fake_verify(const struct fake *fake)
{
    uint32_t last = 0;
    bool after_gap = false;
    for (uint64_t i = 0; i < fake->received; i++) {
        if (fake->marks[i] & FAKE_VOID) {
            after_gap = true;
            continue;
        }
        after_gap = after_gap || fake->marks[i] & FAKE_AFTER_GAP;
        assert_false(fake->marks[i] & FAKE_DAMAGED);
        if (after_gap)
            assert_true(fake->got[i] > last && fake->got[i] < CANARY_SEQ);
        else
            assert_int_equal(fake->got[i], last + 1);
        last = fake->got[i];
        after_gap = false;
    }
    if (last != fake->made)
        assert_true(after_gap || fake->marks[fake->received] & FAKE_AFTER_GAP);
}

struct fake *fake_make(const struct fake_setup *setup, uint64_t seed)
{
    struct fake *fake = calloc(1, sizeof(*fake));
    assert_non_null(fake);
    fake->setup = *setup;
    fake->canary = CANARY_NONE;
    fake->kept_min = ~0ull;
    fake->seed = seed;
    fake->config =
        (struct pt_options){.stop = setup->stop, .region_bytes = setup->region_bytes, .nr_regions = setup->nr_regions};
    fake->memory_bytes = setup->scheme == PT_SCHEME_RANGE ? pt_scheme_range_bytes(&fake->config)
                                                          : fake->config.region_bytes * fake->config.nr_regions;
    fake->memory = calloc(fake->memory_bytes, sizeof(*fake->memory));
    fake->got = calloc(setup->stream_max, sizeof(*fake->got));
    fake->place = calloc(setup->stream_max, sizeof(*fake->place));
    fake->marks = calloc(setup->stream_max, 1);
    assert_true(fake->memory && fake->got && fake->place && fake->marks);
    fake->out = output_make(setup->scheme, setup->mentry, &fake->config, TABLES_PA, REGIONS_PA);
    struct plan_rearm start = output_start(&fake->out);
    apply(fake, &start);
    return fake;
}

void fake_free(struct fake *fake)
{
    free(fake->memory);
    free(fake->got);
    free(fake->place);
    free(fake->marks);
    free(fake);
}
