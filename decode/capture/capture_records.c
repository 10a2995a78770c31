#include "decode/capture/capture_records.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/index.h"
#include "decode/capture/record_stream.h"

/* false: out of memory. */
static bool set_time(struct capture *capture, struct capture_record *record)
{
    if (record->header.cpu >= CAPTURE_MAX_CPUS)
        return true;
    struct cpu_clock *clock = &capture->clocks[record->header.cpu];
    const bool good = cpu_clock_take(clock, &record->header, record->payload);
    record->header.tsc -= cpu_clock_ahead(clock);
    return good;
}

static bool add_record(struct capture *capture, const struct record_header *header, uint64_t offset)
{
    if (capture->nr_records % 4096 == 0) {
        size_t bytes = (capture->nr_records + 4096) * sizeof(*capture->records);
        struct capture_record *more = realloc(capture->records, bytes);
        if (!more)
            return false;
        capture->records = more;
    }
    struct capture_record *record = &capture->records[capture->nr_records++];
    *record = (struct capture_record){*header, offset, capture->events + offset + sizeof(*header)};
    struct record_text payload = {(const char *)record->payload, header->length};
    if (header->kind == RECORD_HELLO && capture->hello.size == 0)
        capture->hello = payload;
    if (header->kind == RECORD_END && header->cpu < CAPTURE_MAX_CPUS)
        capture->ends[header->cpu] = payload;
    struct record_lost lost;
    if (header->kind == RECORD_LOST && header->length >= sizeof(lost)) {
        memcpy(&lost, record->payload, sizeof(lost));
        damages_add(&capture->damages, DAMAGE_LOST, "events.bin", offset, lost.size);
    }
    if (header->cpu >= capture->nr_cpus && header->cpu < CAPTURE_MAX_CPUS)
        capture->nr_cpus = header->cpu + 1u;
    return set_time(capture, record);
}

static bool record_fits(const struct capture *capture, const struct record_header *header, uint64_t offset)
{
    return record_possible(header) && capture->events_size - offset >= record_size_bytes(header);
}

/* The entry of the index with this number. false: there is none. */
static bool index_entry(struct index_entry *entry, const struct capture_map *index, uint64_t number)
{
    if (number >= index->size / sizeof(*entry))
        return false;
    memcpy(entry, index->bytes + number * sizeof(*entry), sizeof(*entry));
    return true;
}

static struct record_header header_at(const struct capture *capture, uint64_t offset)
{
    struct record_header header;
    memcpy(&header, capture->events + offset, sizeof(header));
    return header;
}

/* Does a record with this header end where the next entry of the index begins? */
static bool leads_on(const struct capture_map *index, uint64_t number, uint64_t offset,
                     const struct record_header *header)
{
    struct index_entry next;
    return index_entry(&next, index, number + 1) && next.events_offset == offset + record_size_bytes(header);
}

/* *header is the header in events.bin. If the index has a different one for the same offset, choose one: the checksums
 * say which is damaged. Without them take that of events.bin, if it is valid and its length fits. */
static void compare_index(struct capture *capture, const struct capture_map *index, uint64_t number, uint64_t offset,
                          struct record_header *header)
{
    struct index_entry entry;
    uint64_t at = number * sizeof(entry);
    if (!index_entry(&entry, index, number) ||
        (entry.events_offset == offset && memcmp(&entry.header, header, sizeof(*header)) == 0))
        return;
    bool index_damaged = damages_touch(&capture->damages, "index", at, sizeof(entry));
    bool events_damaged = damages_touch(&capture->damages, "events.bin", offset, sizeof(*header));
    if (!index_damaged && !events_damaged)
        damages_add(&capture->damages, DAMAGE_INDEX, "index", at, sizeof(entry));
    if (entry.events_offset != offset || !record_fits(capture, &entry.header, offset))
        return;
    if ((events_damaged && !index_damaged) || !record_fits(capture, header, offset) ||
        (leads_on(index, number, offset, &entry.header) && !leads_on(index, number, offset, header)))
        *header = entry.header;
}

/* No record begins at offset: find the next one of the index that is also a record in events.bin. Returns its offset
 * and sets *number; UINT64_MAX: there is none. */
static uint64_t find_next(const struct capture *capture, const struct capture_map *index, uint64_t offset,
                          uint64_t *number)
{
    struct index_entry entry;
    for (uint64_t i = *number; index_entry(&entry, index, i); i++) {
        uint64_t at = entry.events_offset;
        if (at <= offset || at > capture->events_size || capture->events_size - at < sizeof(struct record_header))
            continue;
        struct record_header header = header_at(capture, at);
        if (memcmp(&entry.header, &header, sizeof(header)) == 0 && record_fits(capture, &header, at)) {
            *number = i;
            return at;
        }
    }
    return UINT64_MAX;
}

bool capture_read_records(struct capture *capture, const struct capture_map *index)
{
    uint64_t offset = 0, number = 0;
    while (capture->events_size - offset >= sizeof(struct record_header)) {
        struct record_header header = header_at(capture, offset);
        compare_index(capture, index, number, offset, &header);
        if (record_fits(capture, &header, offset)) {
            if (!add_record(capture, &header, offset))
                return false;
            offset += record_size_bytes(&header);
            number++;
            continue;
        }
        uint64_t next = find_next(capture, index, offset, &number);
        if (next != UINT64_MAX || !record_possible(&header))
            damages_add(&capture->damages, DAMAGE_RECORD, "events.bin", offset,
                        (next != UINT64_MAX ? next : capture->events_size) - offset);
        if (next == UINT64_MAX)
            break;
        offset = next;
    }
    capture->events_left_over = capture->events_size - offset;
    return true;
}
