/* The trace of a store: writes cpuN.pt, and a gap record if bytes were lost on the wire. */
#include "decode/receive/store_parts.h"

/* Write a gap record for bytes that were lost on the wire, as the hypervisor does for its own losses. */
static void keep_gap(struct store *store, uint16_t cpu, uint64_t at, uint64_t size)
{
    struct {
        struct record_header header;
        struct record_gap gap;
    } record = {
        .header = {.kind = RECORD_GAP, .cpu = cpu, .length = sizeof(record.gap), .trace_offset = at},
        .gap = {.at = at, .size = size, .cause = RECORD_GAP_WIRE},
    };
    _Static_assert(sizeof(record) == sizeof(record.header) + sizeof(record.gap), "no padding between");
    store_keep_record(store, &record.header, (const uint8_t *)&record, sizeof(record));
    store->totals.lost_trace_bytes += size;
}

/* The trace continues at offset. A hole in the file reads as zeros, which are PAD packets: offsets stay valid. */
static void fill_hole(struct store *store, uint16_t cpu, uint64_t offset)
{
    struct store_cpu *to = store->cpus[cpu];
    uint64_t at = store_file_end(&to->trace), size;
    if (offset <= at)
        return;
    store_file_skip_to(&to->trace, offset);
    while ((size = holes_unannounced(&to->trace_holes, &at, offset)) > 0) {
        keep_gap(store, cpu, at, size);
        store->may_miss -= size < store->may_miss ? size : store->may_miss;
        at += size;
    }
    holes_forget(&to->trace_holes, offset);
}

bool store_keep_trace(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct store_cpu *to = store->cpus[cpu];
    uint64_t end = store_file_end(&to->trace);
    if (offset < end) {
        uint64_t known = end - offset;
        if (known >= size)
            return true;
        bytes += known;
        size -= (size_t)known;
        offset = end;
    }
    fill_hole(store, cpu, offset);
    store->totals.trace_bytes += size;
    store->totals.cpus[cpu].trace_bytes += size;
    return store_file_append(&to->trace, bytes, size);
}

/* On a serial line the last bytes may have been lost; or the last frame was received, but not the record that explains
 * its offset. */
void store_check_end(struct store *store, uint16_t cpu, struct record_text end)
{
    struct store_cpu *to = store->cpus[cpu];
    uint64_t written;
    if (!to || !text_find_number(&written, end, "trace_bytes"))
        return;
    if (holes_confirm(&to->trace_holes, written)) {
        to->trace_holes.held = false;
        store_keep_trace(store, cpu, to->trace_holes.offset, to->trace_holes.bytes, to->trace_holes.size);
    }
    fill_hole(store, cpu, written);
}
