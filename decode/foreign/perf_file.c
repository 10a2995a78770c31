#include "decode/foreign/perf_file.h"

#include <string.h>

#define HEADER_SIZE 104u
#define PIPE_HEADER_SIZE 16u
#define RECORD_HEADER_SIZE 8u
#define ATTR_CONFIG 8u
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

/* A section of the header: where, and how many bytes. false: it is not all in the file. */
static bool read_section(const struct perf_file *perf, uint64_t at, uint64_t *offset, uint64_t *size)
{
    *offset = number(perf, at, 8);
    *size = number(perf, at + 8, 8);
    return *offset <= perf->size && *size <= perf->size - *offset;
}

/* Behind the records is a section for each feature whose bit is set. */
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

bool perf_file_open(struct perf_file *perf, const struct foreign_file *file, const char *name, struct error *error)
{
    uint64_t size;
    *perf = (struct perf_file){.bytes = file->bytes, .size = file->size};
    if (file->size < PIPE_HEADER_SIZE || memcmp(file->bytes, "PERFILE2", 8))
        return error_set(error, ERROR_PERF, 0, "%s: is no perf.data file", name);
    if (number(perf, 8, 8) == PIPE_HEADER_SIZE)
        return error_set(error, ERROR_PERF, 0, "%s: was written to a pipe: perf inject -o makes a file of it", name);
    perf->attr_size = number(perf, 16, 8);
    if (file->size < HEADER_SIZE || !read_section(perf, 24, &perf->attrs, &size))
        return error_set(error, ERROR_PERF, file->size, "%s: the file is cut at offset", name);
    perf->attr_end = perf->attrs + size;
    if (!read_section(perf, 40, &perf->at, &size))
        return error_set(error, ERROR_PERF, file->size, "%s: the file is cut at offset", name);
    perf->end = perf->at + size;
    find_cpuid(perf);
    return true;
}

bool perf_file_config(uint64_t *config, const struct perf_file *perf, uint32_t type)
{
    if (perf->attr_size < ATTR_CONFIG + 8)
        return false;
    for (uint64_t at = perf->attrs; at + perf->attr_size <= perf->attr_end; at += perf->attr_size) {
        if (number(perf, at, 4) != type)
            continue;
        *config = number(perf, at + ATTR_CONFIG, 8);
        return true;
    }
    return false;
}

bool perf_file_next(struct perf_record *record, struct perf_file *perf, const char *name, struct error *error)
{
    const uint64_t left = perf->end - perf->at;
    if (left == 0)
        return false;
    const uint64_t size = number(perf, perf->at + 6, 2);
    if (left < RECORD_HEADER_SIZE || size < RECORD_HEADER_SIZE || size > left)
        return error_set(error, ERROR_PERF, perf->at, "%s: no record at offset", name);
    *record = (struct perf_record){.type = (uint32_t)number(perf, perf->at, 4),
                                   .misc = (uint16_t)number(perf, perf->at + 4, 2),
                                   .bytes = perf->bytes + perf->at + RECORD_HEADER_SIZE,
                                   .size = (size_t)size - RECORD_HEADER_SIZE};
    if (record->type == PERF_COMPRESSED)
        return error_set(error, ERROR_PERF, 0, "%s: is compressed: perf inject -o makes a file that is not", name);
    perf->at += size;
    if (record->type != PERF_AUXTRACE)
        return true;
    record->data = perf->bytes + perf->at;
    record->data_size = perf_64(record, 0);
    if (record->data_size > perf->end - perf->at)
        return error_set(error, ERROR_PERF, perf->end, "%s: the trace is cut at offset", name);
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
