/* The two streams of each CPU, trace and records: a frame at an unexplained offset is held until another one follows.
 */
#include "decode/receive/store_parts.h"
#include "serial/wire/frame.h"

/* Keeps bytes at offset. */
typedef bool keep_bytes(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size);

struct stream {
    struct store *store;
    uint16_t cpu;
    struct holes *holes;
    uint64_t due; /* the end of the stream so far */
    keep_bytes *keep;
};

void store_lost_frames(struct store *store, uint32_t frames, uint32_t most_bytes)
{
    store->may_miss += (uint64_t)frames * most_bytes;
}

/* Can a stream that ends at `from` continue at offset? */
static bool hole_explained(const struct store *store, const struct holes *holes, uint64_t from, uint64_t offset)
{
    uint64_t missing = 0, size;
    for (uint64_t at = from; (size = holes_unannounced(holes, &at, offset)) > 0; at += size)
        missing += size;
    return missing <= store->may_miss;
}

/* The stream continues elsewhere: a held frame was misplaced. */
static void drop_held(struct store *store, struct holes *holes, uint16_t cpu, uint64_t due)
{
    struct store_totals *totals = &store->totals;
    if (!holes->held)
        return;
    if (totals->misplaced++ == 0)
        totals->first_misplaced = (struct store_misplaced){cpu, holes->offset, due};
    store_lost_frames(store, 1, (uint32_t)holes->size); /* its bytes are missing at their right offset */
    holes->held = false;
}

static bool take_frame(const struct stream *stream, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct store *store = stream->store;
    struct holes *holes = stream->holes;
    const uint16_t cpu = stream->cpu;
    if (hole_explained(store, holes, stream->due, offset)) {
        drop_held(store, holes, cpu, stream->due);
        return stream->keep(store, cpu, offset, bytes, size);
    }
    if (holes_confirm(holes, offset)) { /* the held frame belongs before this one */
        holes->held = false;
        return stream->keep(store, cpu, holes->offset, holes->bytes, holes->size) &&
               stream->keep(store, cpu, offset, bytes, size);
    }
    drop_held(store, holes, cpu, stream->due);
    return holes_hold(holes, offset, bytes, size) ||
           error_set(&store->error, ERROR_MEMORY, 0, "a frame of CPU %u", cpu);
}

bool store_trace(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct store_cpu *to = store_cpu(store, cpu);
    if (!to)
        return false;
    const struct stream stream = {store, cpu, &to->trace_holes, store_file_end(&to->trace), store_keep_trace};
    return take_frame(&stream, offset, bytes, size);
}

/* A record_stream_deliver. */
static void deliver_record(void *context, const struct record_header *header, const uint8_t *bytes, size_t size)
{
    struct store *store = context;
    const char *payload = (const char *)bytes + sizeof(*header);
    if (header->kind == RECORD_END)
        store_check_end(store, header->cpu, (struct record_text){payload, header->length});
    store_keep_lost(store, header->cpu);
    store_keep_record(store, header, bytes, size);
    if (header->trace_offset > store->cpus[header->cpu]->trace_offset)
        store->cpus[header->cpu]->trace_offset = header->trace_offset;
}

static bool keep_records(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct record_stream *records = &store->cpus[cpu]->records;
    uint64_t lost = records->lost, hole = offset > records->offset ? offset - records->offset : 0;
    store->may_miss -= hole < store->may_miss ? hole : store->may_miss;
    store->totals.record_bytes += size;
    bool good = record_stream_take(records, offset, bytes, size, deliver_record, store);
    store->totals.lost_record_bytes += records->lost - lost;
    if (!good)
        error_set(&store->error, ERROR_MEMORY, 0, "records of CPU %u", cpu);
    return good && !store->events.failed;
}

bool store_records(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct store_cpu *to = store_cpu(store, cpu);
    if (!to)
        return false;
    const struct stream stream = {store, cpu, &to->record_holes, to->records.offset, keep_records};
    return take_frame(&stream, offset, bytes, size);
}

void store_settle(struct store *store)
{
    for (uint16_t i = 0; i < STORE_MAX_CPUS; i++) {
        struct store_cpu *cpu = store->cpus[i];
        if (!cpu)
            continue;
        drop_held(store, &cpu->trace_holes, i, store_file_end(&cpu->trace));
        drop_held(store, &cpu->record_holes, i, cpu->records.offset);
        store_keep_lost(store, i);
    }
}
