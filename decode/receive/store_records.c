/* The records of a store: writes them to events.bin and index, and updates meta.json and the totals. */
#include <stdlib.h>
#include <string.h>

#include "decode/capture/index.h"
#include "decode/receive/store_meta.h"
#include "decode/receive/store_parts.h"

/* Trace that was overwritten before it was sent, or that was never sent, was not lost on the wire: the hypervisor
 * announces it with a gap record before it sends what follows. Several gaps may be announced before the trace between
 * them arrives. */
static void expect_hole(struct store *store, const struct record_header *header, const uint8_t *payload)
{
    struct record_gap gap;
    struct store_cpu *cpu = store->cpus[header->cpu];
    if (!cpu || header->length < sizeof(gap))
        return;
    memcpy(&gap, payload, sizeof(gap));
    store->totals.cuts += gap.cause == RECORD_GAP_CUT;
    if (gap.cause != RECORD_GAP_RING && gap.cause != RECORD_GAP_CUT)
        return; /* no offsets are skipped */
    if (!holes_announce(&cpu->trace_holes, gap.at, gap.at + gap.size))
        error_set(&store->error, ERROR_MEMORY, 0, "a gap of CPU %u", header->cpu);
}

static void copy_text(struct record_text *text, const uint8_t *payload, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return;
    memcpy(copy, payload, size);
    free((char *)(uintptr_t)text->bytes);
    *text = (struct record_text){copy, size};
}

void store_rewrite_meta(struct store *store)
{
    struct record_text ends[STORE_MAX_CPUS] = {{NULL, 0}};
    for (unsigned i = 0; i < store->totals.nr_cpus; i++)
        if (store->cpus[i])
            ends[i] = store->cpus[i]->end;
    store_meta_write(&store->checksums, store->hello, ends, store->totals.ended ? store->totals.nr_cpus : 0);
}

static void take_hello(struct store *store, const uint8_t *payload, size_t size)
{
    uint64_t cpus;
    copy_text(&store->hello, payload, size);
    if (text_find_number(&cpus, store->hello, "nr_cpus"))
        store_know_cpus(store, cpus);
    store->totals.hello = true;
}

static void take_end(struct store *store, uint16_t cpu, const uint8_t *payload, size_t size)
{
    struct store_totals *totals = &store->totals;
    copy_text(&store->cpus[cpu]->end, payload, size);
    uint64_t sleeps;
    totals->sleeps = text_find_number(&sleeps, store->cpus[cpu]->end, "sleeps") && sleeps;
    totals->cpus[cpu].ended = true;
    totals->ended = true;
    for (unsigned i = 0; i < totals->nr_cpus; i++)
        totals->ended = totals->ended && totals->cpus[i].ended;
}

static void count_record(struct store *store, const struct record_header *header, const uint8_t *payload)
{
    struct store_totals *totals = &store->totals;
    totals->records++;
    totals->drains += header->kind == RECORD_DRAIN;
    totals->pages += header->kind == RECORD_PAGE;
    totals->gaps += header->kind == RECORD_GAP;
    if (header->kind == RECORD_HELLO)
        take_hello(store, payload, header->length);
    if (header->kind == RECORD_END)
        take_end(store, header->cpu, payload, header->length);
    if (header->kind == RECORD_STATUS)
        copy_text(&store->cpus[header->cpu]->status, payload, header->length);
}

void store_keep_record(struct store *store, const struct record_header *header, const uint8_t *bytes, size_t size)
{
    const uint8_t *payload = bytes + sizeof(*header);
    if (header->kind == RECORD_GAP)
        expect_hole(store, header, payload);
    struct index_entry entry = {store_file_end(&store->events), *header};
    if (store_file_append(&store->events, bytes, size) && store_file_append(&store->index, &entry, sizeof(entry)))
        count_record(store, header, payload);
    if (header->kind == RECORD_HELLO || header->kind == RECORD_END)
        store_rewrite_meta(store);
}

void store_recall_record(struct store *store, const struct record_header *header, const uint8_t *payload)
{
    struct store_cpu *cpu = store->cpus[header->cpu];
    struct record_lost lost;
    if (header->kind == RECORD_GAP)
        expect_hole(store, header, payload);
    if (header->kind == RECORD_LOST && header->length >= sizeof(lost)) {
        memcpy(&lost, payload, sizeof(lost));
        cpu->lost_recorded += lost.size;
    }
    if (header->trace_offset > cpu->trace_offset)
        cpu->trace_offset = header->trace_offset;
    count_record(store, header, payload);
}

void store_keep_lost(struct store *store, uint16_t cpu)
{
    struct store_cpu *to = store->cpus[cpu];
    const uint64_t size = to->records.lost - to->lost_recorded;
    const struct {
        struct record_header header;
        struct record_lost lost;
    } record = {
        .header = {.kind = RECORD_LOST, .cpu = cpu, .length = sizeof(record.lost), .trace_offset = to->trace_offset},
        .lost = {.size = size},
    };
    if (size == 0)
        return;
    store_keep_record(store, &record.header, (const uint8_t *)&record, sizeof(record));
    to->lost_recorded = to->records.lost;
}
