/* The commits of a store: what the receiver has acknowledged is in the files, and a receiver that is started again
 * knows how much that is. */
#include <stdlib.h>
#include <string.h>

#include "decode/receive/store_parts.h"
#include "decode/receive/store_state.h"

static size_t state_bytes(const struct store *store)
{
    size_t size = sizeof(struct store_state);
    for (unsigned i = 0; i < STORE_MAX_CPUS; i++)
        if (store->cpus[i])
            size += store_cpu_state_bytes((uint32_t)store->cpus[i]->records.used);
    return size;
}

/* A frame that waits for the next one is not in the files: after a restart it counts as lost. */
static uint64_t held_bytes(const struct store_cpu *cpu)
{
    const struct holes *trace = &cpu->trace_holes, *records = &cpu->record_holes;
    return (trace->held ? trace->size : 0) + (records->held ? records->size : 0);
}

static uint8_t *put_cpu(uint8_t *at, uint16_t number, const struct store *store)
{
    const struct store_cpu *cpu = store->cpus[number];
    const struct store_cpu_state state = {.cpu = number,
                                          .lost_track = cpu->records.lost_track,
                                          .used = (uint32_t)cpu->records.used,
                                          .trace_end = store_file_end(&cpu->trace),
                                          .trace_summed = cpu->trace.summed,
                                          .trace_bytes = store->totals.cpus[number].trace_bytes,
                                          .records_offset = cpu->records.offset,
                                          .records_lost = cpu->records.lost};
    const size_t size = store_cpu_state_bytes(state.used);
    memset(at, 0, size);
    memcpy(at, &state, sizeof(state));
    if (state.used > 0)
        memcpy(at + sizeof(state), cpu->records.buffer, state.used);
    return at + size;
}

static void put_state(struct store *store, const struct resume_point *point)
{
    const struct store_totals *totals = &store->totals;
    uint8_t *at = store->state;
    struct store_state state = {.version = STORE_STATE_VERSION,
                                .events_end = store_file_end(&store->events),
                                .index_end = store_file_end(&store->index),
                                .checksums_end = store_file_end(&store->checksums),
                                .events_summed = store->events.summed,
                                .index_summed = store->index.summed,
                                .record_bytes = totals->record_bytes,
                                .lost_trace_bytes = totals->lost_trace_bytes,
                                .lost_record_bytes = totals->lost_record_bytes,
                                .misplaced = totals->misplaced,
                                .may_miss = store->may_miss,
                                .first_misplaced = totals->first_misplaced,
                                .point = *point};
    at += sizeof(state);
    for (uint16_t i = 0; i < STORE_MAX_CPUS; i++) {
        if (!store->cpus[i])
            continue;
        at = put_cpu(at, i, store);
        state.nr_cpus++;
        state.may_miss += held_bytes(store->cpus[i]);
    }
    memcpy(store->state, &state, sizeof(state));
}

bool store_commit(struct store *store, const struct resume_point *point)
{
    if (!store_flush(store))
        return false;
    const size_t size = state_bytes(store);
    if (size > store->state_size) {
        uint8_t *more = realloc(store->state, size);
        if (!more)
            return error_set(&store->error, ERROR_MEMORY, 0, "%s", store->directory_name);
        store->state = more;
        store->state_size = size;
    }
    put_state(store, point);
    while (!journal_write(&store->journal, (struct journal_header *)(void *)store->state,
                          size - sizeof(struct journal_header)))
        if (!store_waits(&store->waiter))
            return error_set(&store->error, ERROR_CANNOT_WRITE, 0, "%s/resume", store->directory_name);
    return true;
}
