#include "decode/foreign/perf_file.h"

#include <string.h>

#define HEADER_SIZE 104u
#define PIPE_HEADER_SIZE 16u
#define RECORD_HEADER_SIZE 8u
#define ATTR_OWN_SIZE 4u
#define ATTR_CONFIG 8u
#define ATTR_SAMPLE_TYPE 24u
#define ATTR_READ_FORMAT 32u
#define ATTR_FLAGS 40u
#define ATTR_BRANCHES 72u
#define ATTR_REGISTERS_USER 80u
#define ATTR_REGISTERS_INTERRUPT 96u
#define ATTR_END 104u /* of what is read; older files have shorter ones */
#define ATTR_SAMPLE_ID_ALL (1u << 18)
#define ATTR_LEAST 64u /* the size in the first version of perf.data, with the section of its IDs */
#define FEATURES_AT 72u
#define FEATURES 256u
#define FEATURE_CPUID 10u
#define SECTION_SIZE 16u

static uint64_t number(const struct perf_file *perf, uint64_t at, size_t size)
{
    uint64_t value = 0;
    if (at <= perf->size && size <= perf->size - at)
        memcpy(&value, perf->bytes + at, size);
    return value;
}

/* The offset and size of a section, from the header. false: the file does not contain all of it. */
static bool read_section(const struct perf_file *perf, uint64_t at, uint64_t *offset, uint64_t *size)
{
    *offset = number(perf, at, 8);
    *size = number(perf, at + 8, 8);
    return *offset <= perf->size && *size <= perf->size - *offset;
}

/* After the records there is a section for each feature whose bit is set. */
static void find_cpuid(struct perf_file *perf)
{
    uint64_t at = perf->end, offset, size;
    for (unsigned i = 0; i < FEATURES; i++) {
        if (!(number(perf, FEATURES_AT + i / 8, 1) >> i % 8 & 1))
            continue;
        if (i == FEATURE_CPUID && read_section(perf, at, &offset, &size) && size > 4) {
            perf->cpuid = (const char *)perf->bytes + offset + 4;
            perf->cpuid_size = (size_t)size - 4;
        }
        at += SECTION_SIZE;
    }
}

/* Only records follow the header. One of them has the CPU. */
static bool open_piped(struct perf_file *perf, const char *name, struct error *error)
{
    struct perf_record record;
    perf->piped = true;
    perf->at = PIPE_HEADER_SIZE;
    perf->end = perf->size;
    for (struct perf_file records = *perf; perf_file_next(&record, &records, name, error);) {
        if (record.type != PERF_HEADER_FEATURE || perf_64(&record, 0) != FEATURE_CPUID || record.size <= 12)
            continue;
        perf->cpuid = (const char *)record.bytes + 12; /* after the feature's number and a length */
        perf->cpuid_size = record.size - 12;
    }
    return error->kind == ERROR_NONE;
}

bool perf_file_open(struct perf_file *perf, const struct foreign_file *file, const char *name, struct error *error)
{
    uint64_t size;
    *perf = (struct perf_file){.bytes = file->bytes, .size = file->size};
    if (file->size < PIPE_HEADER_SIZE || memcmp(file->bytes, "PERFILE2", 8))
        return error_set(error, ERROR_PERF, 0, "%s: not a perf.data file", name);
    if (number(perf, 8, 8) == PIPE_HEADER_SIZE)
        return open_piped(perf, name, error);
    perf->attr_size = number(perf, 16, 8);
    if (file->size < HEADER_SIZE || !read_section(perf, 24, &perf->attrs, &size))
        return error_set(error, ERROR_PERF, file->size, "%s: the file is truncated at offset", name);
    perf->attr_end = perf->attrs + size;
    if (!read_section(perf, 40, &perf->at, &size))
        return error_set(error, ERROR_PERF, file->size, "%s: the file is truncated at offset", name);
    perf->unfinished = size == 0;
    perf->end = perf->unfinished ? perf->size : perf->at + size;
    find_cpuid(perf);
    return true;
}

static struct perf_attr attr_at(const struct perf_file *perf, uint64_t at)
{
    const bool whole = number(perf, at + ATTR_OWN_SIZE, 4) >= ATTR_END;
    return (struct perf_attr){.type = (uint32_t)number(perf, at, 4),
                              .config = number(perf, at + ATTR_CONFIG, 8),
                              .sample_type = number(perf, at + ATTR_SAMPLE_TYPE, 8),
                              .read_format = number(perf, at + ATTR_READ_FORMAT, 8),
                              .branches = whole ? number(perf, at + ATTR_BRANCHES, 8) : 0,
                              .user_registers = whole ? number(perf, at + ATTR_REGISTERS_USER, 8) : 0,
                              .interrupt_registers = whole ? number(perf, at + ATTR_REGISTERS_INTERRUPT, 8) : 0,
                              .sample_id_all = number(perf, at + ATTR_FLAGS, 8) & ATTR_SAMPLE_ID_ALL};
}

/* A record contains the attribute, which starts with its own size, and its IDs. These records come before all of the
 * kernel's. */
static bool find_piped(struct perf_attr *attr, const struct perf_file *perf, unsigned index)
{
    struct perf_file records = *perf;
    struct perf_record record;
    struct error ignored = {0};
    records.at = PIPE_HEADER_SIZE;
    while (perf_file_next(&record, &records, "", &ignored) && record.type >= PERF_NR_OF_KERNEL) {
        const uint32_t size = perf_32(&record, ATTR_OWN_SIZE);
        if (record.type != PERF_HEADER_ATTR || size > record.size || index-- > 0)
            continue;
        const uint64_t at = (uint64_t)(record.bytes - perf->bytes);
        *attr = attr_at(perf, at);
        attr->ids_at = at + size;
        attr->nr_ids = (record.size - size) / 8;
        return true;
    }
    return false;
}

bool perf_file_event_at(struct perf_attr *attr, const struct perf_file *perf, unsigned index)
{
    if (perf->piped)
        return find_piped(attr, perf, index);
    const uint64_t all = perf->attr_end - perf->attrs;
    if (perf->attr_size < ATTR_LEAST || perf->attr_size > all || index >= all / perf->attr_size)
        return false;
    const uint64_t at = perf->attrs + index * perf->attr_size;
    const uint64_t ids = at + perf->attr_size - SECTION_SIZE;
    *attr = attr_at(perf, at);
    uint64_t size;
    if (read_section(perf, ids, &attr->ids_at, &size))
        attr->nr_ids = size / 8;
    return true;
}

bool perf_file_event(struct perf_attr *attr, const struct perf_file *perf, uint32_t type)
{
    for (unsigned i = 0; perf_file_event_at(attr, perf, i); i++)
        if (attr->type == type)
            return true;
    return false;
}

static bool has_id(const struct perf_file *perf, const struct perf_attr *attr, uint64_t id)
{
    for (uint64_t i = 0; i < attr->nr_ids; i++)
        if (number(perf, attr->ids_at + 8 * i, 8) == id)
            return true;
    return false;
}

/* By the IDENTIFIER, which is first in a sample and last in other records. Without identifiers all events have the same
 * layout. */
bool perf_file_event_of(struct perf_attr *attr, const struct perf_file *perf, const struct perf_record *record)
{
    if (record->type >= PERF_NR_OF_KERNEL || !perf_file_event_at(attr, perf, 0))
        return false;
    if (!(attr->sample_type & PERF_SAMPLE_IDENTIFIER) || record->size < 8)
        return true;
    const uint64_t id = perf_64(record, record->type == PERF_SAMPLE ? 0 : record->size - 8);
    for (unsigned i = 0; perf_file_event_at(attr, perf, i); i++)
        if (has_id(perf, attr, id))
            return true;
    return perf_file_event_at(attr, perf, 0);
}

struct perf_sample_id perf_file_sample_id(const struct perf_file *perf, const struct perf_record *record, size_t *size)
{
    static const uint64_t fields[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
                                      PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};
    struct perf_sample_id id = {.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX};
    struct perf_attr attr;
    size_t needed = 0;
    *size = record->size;
    if (record->type == PERF_SAMPLE || !perf_file_event_of(&attr, perf, record) || !attr.sample_id_all)
        return id;
    for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        needed += attr.sample_type & fields[i] ? 8 : 0;
    if (needed > record->size)
        return id;
    size_t at = *size = record->size - needed;
    for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (!(attr.sample_type & fields[i]))
            continue;
        if (fields[i] == PERF_SAMPLE_TID) {
            id.pid = perf_32(record, at);
            id.tid = perf_32(record, at + 4);
        } else if (fields[i] == PERF_SAMPLE_TIME) {
            id.time = perf_64(record, at);
            id.timed = id.time != 0 && id.time != UINT64_MAX; /* perf's own records have none */
        } else if (fields[i] == PERF_SAMPLE_CPU) {
            id.cpu = perf_32(record, at);
        }
        at += 8;
    }
    return id;
}

bool perf_file_next(struct perf_record *record, struct perf_file *perf, const char *name, struct error *error)
{
    const uint64_t left = perf->end - perf->at;
    const uint64_t size = number(perf, perf->at + 6, 2);
    if (left == 0 || (perf->unfinished && (left < RECORD_HEADER_SIZE || size > left)))
        return false;
    if (left < RECORD_HEADER_SIZE || size < RECORD_HEADER_SIZE || size > left)
        return error_set(error, ERROR_PERF, perf->at, "%s: no record at offset", name);
    *record = (struct perf_record){.type = (uint32_t)number(perf, perf->at, 4),
                                   .misc = (uint16_t)number(perf, perf->at + 4, 2),
                                   .bytes = perf->bytes + perf->at + RECORD_HEADER_SIZE,
                                   .size = (size_t)size - RECORD_HEADER_SIZE};
    if (record->type == PERF_COMPRESSED || record->type == PERF_COMPRESSED2)
        return error_set(error, ERROR_PERF, 0, "%s: compressed files (perf record -z) cannot be read", name);
    perf->at += size;
    if (record->type == PERF_HEADER_TRACING_DATA) /* followed by data that is not a record */
        perf->at += (perf_32(record, 0) + 7ull) & ~7ull;
    if (perf->at > perf->end)
        return error_set(error, ERROR_PERF, perf->end, "%s: the file is truncated at offset", name);
    if (record->type != PERF_AUXTRACE)
        return true;
    record->data = perf->bytes + perf->at;
    record->data_size = perf_64(record, 0);
    if (record->data_size > perf->end - perf->at && perf->unfinished)
        record->data_size = perf->end - perf->at;
    if (record->data_size > perf->end - perf->at)
        return error_set(error, ERROR_PERF, perf->end, "%s: the trace is truncated at offset", name);
    perf->at += record->data_size;
    return true;
}

uint32_t perf_32(const struct perf_record *record, size_t offset)
{
    uint32_t value = 0;
    if (offset <= record->size && sizeof(value) <= record->size - offset)
        memcpy(&value, record->bytes + offset, sizeof(value));
    return value;
}

uint64_t perf_64(const struct perf_record *record, size_t offset)
{
    return perf_32(record, offset) | (uint64_t)perf_32(record, offset + 4) << 32;
}
