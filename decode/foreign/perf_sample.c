#include "decode/foreign/perf_sample.h"

/* perf_event_attr.read_format, and bits of branch_sample_type. */
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };
enum { BRANCH_HW_INDEX = 1 << 17, BRANCH_COUNTERS = 1 << 19 };

#define BRANCH_SIZE 24u /* of struct perf_branch_entry */

/* Offsets within an entry of ID_INDEX. */
enum { INDEX_ID = 0, INDEX_INDEX = 8, INDEX_CPU = 16, INDEX_TID = 24, INDEX_SIZE = 32 };

struct reading {
    const struct perf_record *record;
    uint64_t at;
    bool damaged; /* a field extends beyond the record */
};

static void skip(struct reading *r, uint64_t size)
{
    r->damaged = r->damaged || size > r->record->size || r->at > r->record->size - size;
    r->at += r->damaged ? 0 : size;
}

static uint64_t take(struct reading *r)
{
    const uint64_t value = perf_64(r->record, (size_t)r->at);
    skip(r, 8);
    return value;
}

/* count items of size bytes. */
static void skip_items(struct reading *r, uint64_t count, uint64_t size)
{
    if (count > r->record->size)
        r->damaged = true;
    else
        skip(r, count * size);
}

static uint64_t bits(uint64_t value)
{
    return (uint64_t)__builtin_popcountll(value);
}

static void skip_read(struct reading *r, uint64_t format)
{
    const uint64_t times = bits(format & (READ_ENABLED | READ_RUNNING));
    const uint64_t values = 1 + bits(format & (READ_ID | READ_LOST));
    const uint64_t count = format & READ_GROUP ? take(r) : 1;
    skip(r, 8 * times);
    skip_items(r, count, 8 * values);
}

static void skip_branches(struct reading *r, uint64_t type)
{
    const uint64_t count = take(r);
    if (type & BRANCH_HW_INDEX)
        take(r);
    skip_items(r, count, BRANCH_SIZE + (type & BRANCH_COUNTERS ? 8 : 0));
}

/* The registers' ABI; 0: there are none. */
static void skip_registers(struct reading *r, uint64_t mask)
{
    if (take(r) != 0)
        skip(r, 8 * bits(mask));
}

static void skip_stack(struct reading *r)
{
    const uint64_t size = take(r);
    skip(r, size);
    if (size)
        take(r);
}

/* A 32-bit size, and so many bytes. */
static void skip_raw(struct reading *r)
{
    const uint64_t size = perf_32(r->record, (size_t)r->at);
    skip(r, 4);
    skip(r, size);
}

/* Skip the fields of variable size, and those of 8 bytes that the sample type has in between. */
static void skip_to_trace(struct reading *r, const struct perf_attr *attr)
{
    const uint64_t type = attr->sample_type;
    const uint64_t before_read = 0x3cf | PERF_SAMPLE_IDENTIFIER; /* IP to ADDR, ID to STREAM_ID */
    const uint64_t after_stack = 3ull << 14;                     /* WEIGHT, DATA_SRC */
    const uint64_t transaction = 1ull << 17, weight_struct = 1ull << 24;
    const uint64_t last = 1ull << 19 | 7ull << 21; /* PHYS_ADDR, CGROUP to CODE_PAGE_SIZE */
    skip(r, 8 * bits(type & before_read));
    if (type & PERF_SAMPLE_READ)
        skip_read(r, attr->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN)
        skip_items(r, take(r), 8);
    if (type & PERF_SAMPLE_RAW)
        skip_raw(r);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        skip_branches(r, attr->branches);
    if (type & PERF_SAMPLE_REGS_USER)
        skip_registers(r, attr->user_registers);
    if (type & PERF_SAMPLE_STACK_USER)
        skip_stack(r);
    skip(r, 8 * bits(type & (after_stack | transaction | weight_struct)));
    if (type & PERF_SAMPLE_REGS_INTR)
        skip_registers(r, attr->interrupt_registers);
    skip(r, 8 * bits(type & last));
}

bool perf_sample_any(const struct perf_file *perf)
{
    struct perf_attr attr;
    for (unsigned i = 0; perf_file_event_at(&attr, perf, i); i++)
        if (attr.sample_type & PERF_SAMPLE_AUX)
            return true;
    return false;
}

/* The ID of the event of which the sample is: IDENTIFIER, else ID. */
static uint64_t sample_id(const struct perf_record *record, uint64_t type)
{
    const uint64_t before_id = 0xf; /* IP, TID, TIME, ADDR */
    return perf_64(record, type & PERF_SAMPLE_IDENTIFIER ? 0 : (size_t)(8 * bits(type & before_id)));
}

/* perf numbers its buffers, and ID_INDEX has that number for each event's ID. */
static void find_buffer(struct perf_sample *sample, const struct perf_file *perf, uint64_t id)
{
    struct perf_file records = *perf;
    struct perf_record record;
    struct error ignored = {0};
    sample->index = 0;
    sample->cpu = sample->tid = UINT32_MAX;
    records.at = perf->id_index;
    while (perf->id_index && perf_file_next(&record, &records, "", &ignored) && record.type == PERF_ID_INDEX)
        for (size_t at = 8; at + INDEX_SIZE <= record.size; at += INDEX_SIZE)
            if (perf_64(&record, at + INDEX_ID) == id) {
                sample->index = perf_64(&record, at + INDEX_INDEX);
                sample->cpu = perf_32(&record, at + INDEX_CPU);
                sample->tid = perf_32(&record, at + INDEX_TID);
                return;
            }
}

bool perf_sample_read(struct perf_sample *sample, const struct perf_file *perf, const struct perf_record *record)
{
    struct reading r = {.record = record};
    struct perf_attr attr;
    if (record->type != PERF_SAMPLE || !perf_file_event_of(&attr, perf, record) ||
        !(attr.sample_type & PERF_SAMPLE_AUX))
        return false;
    skip_to_trace(&r, &attr);
    sample->size = take(&r);
    sample->bytes = record->bytes + r.at;
    skip(&r, sample->size);
    if (r.damaged || sample->size == 0)
        return false;
    find_buffer(sample, perf, sample_id(record, attr.sample_type));
    return true;
}
