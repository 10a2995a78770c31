#include "decode/export/perf_data.h"

#include <stdbool.h>
#include <string.h>

#define HEADER_SIZE 104u
#define ATTR_SIZE 128u
#define RECORD_HEADER 8u
#define SECTION_SIZE 16u /* offset, size */
#define ID_SIZE 8u
#define COMM_SIZE 16u
#define STRING_SIZE 16u

enum { FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE = 4, FEATURE_ARCH = 6, FEATURE_NRCPUS = 7, NR_FEATURES = 4 };

void perf_data_put32(FILE *file, uint32_t value)
{
    fwrite(&value, sizeof(value), 1, file);
}

void perf_data_put64(FILE *file, uint64_t value)
{
    fwrite(&value, sizeof(value), 1, file);
}

static void put_zeros(FILE *file, size_t count)
{
    while (count-- > 0)
        putc('\0', file);
}

static uint64_t attrs_at(size_t nr_attrs)
{
    return HEADER_SIZE + nr_attrs * ID_SIZE;
}

static void put_attr(FILE *file, const struct perf_data_attr *attr, uint64_t id_at)
{
    perf_data_put32(file, attr->type);
    perf_data_put32(file, ATTR_SIZE);
    perf_data_put64(file, attr->config);
    perf_data_put64(file, attr->period);
    perf_data_put64(file, attr->sample_type);
    perf_data_put64(file, 0); /* read_format */
    perf_data_put64(file, attr->flags);
    put_zeros(file, ATTR_SIZE - 48);
    perf_data_put64(file, id_at);
    perf_data_put64(file, ID_SIZE);
}

static void put_file_header(FILE *file, size_t nr_attrs, uint64_t data, uint64_t size)
{
    fwrite("PERFILE2", 8, 1, file);
    perf_data_put64(file, HEADER_SIZE);
    perf_data_put64(file, ATTR_SIZE + SECTION_SIZE);
    perf_data_put64(file, attrs_at(nr_attrs));
    perf_data_put64(file, nr_attrs * (ATTR_SIZE + SECTION_SIZE));
    perf_data_put64(file, data);
    perf_data_put64(file, size);
    put_zeros(file, SECTION_SIZE); /* event types */
    perf_data_put64(file, 1u << FEATURE_HOSTNAME | 1u << FEATURE_OSRELEASE | 1u << FEATURE_ARCH | 1u << FEATURE_NRCPUS);
    put_zeros(file, 24); /* words for other features */
}

void perf_data_begin(struct perf_data *data, FILE *file, const struct perf_data_attr *attrs, size_t nr_attrs)
{
    *data = (struct perf_data){.file = file,
                               .sample_type = attrs[0].sample_type,
                               .nr_attrs = nr_attrs,
                               .begin = attrs_at(nr_attrs) + nr_attrs * (ATTR_SIZE + SECTION_SIZE)};
    put_file_header(file, nr_attrs, data->begin, 0);
    for (size_t i = 0; i < nr_attrs; i++)
        perf_data_put64(file, i + 1);
    for (size_t i = 0; i < nr_attrs; i++)
        put_attr(file, &attrs[i], HEADER_SIZE + i * ID_SIZE);
}

static void put_string(FILE *file, const char *string)
{
    char padded[STRING_SIZE] = "";
    memcpy(padded, string, strnlen(string, sizeof(padded) - 1));
    perf_data_put32(file, sizeof(padded));
    fwrite(padded, sizeof(padded), 1, file);
}

/* After the records: a table of sections, then the sections. */
static void put_features(FILE *file, uint64_t at, uint32_t nr_cpus)
{
    const uint64_t first = at + NR_FEATURES * SECTION_SIZE, string = sizeof(uint32_t) + STRING_SIZE;
    for (uint64_t i = 0; i < NR_FEATURES; i++) {
        perf_data_put64(file, first + i * string);
        perf_data_put64(file, i + 1 < NR_FEATURES ? string : 2 * sizeof(uint32_t));
    }
    put_string(file, "undertrace");
    put_string(file, "6.1");
    put_string(file, "x86_64");
    perf_data_put32(file, nr_cpus);
    perf_data_put32(file, nr_cpus);
}

void perf_data_end(const struct perf_data *data, uint32_t nr_cpus)
{
    const long end = ftell(data->file);
    if (end < 0)
        return;
    put_features(data->file, (uint64_t)end, nr_cpus);
    if (fseek(data->file, 0, SEEK_SET) == 0)
        put_file_header(data->file, data->nr_attrs, data->begin, (uint64_t)end - data->begin);
    fseek(data->file, 0, SEEK_END);
}

void perf_data_header(FILE *file, uint32_t type, uint16_t misc, size_t size)
{
    const uint16_t whole = (uint16_t)(RECORD_HEADER + size);
    perf_data_put32(file, type);
    fwrite(&misc, sizeof(misc), 1, file);
    fwrite(&whole, sizeof(whole), 1, file);
}

static size_t id_size(const struct perf_data *data)
{
    static const uint64_t fields[] = {PERF_DATA_TID, PERF_DATA_TIME, PERF_DATA_CPU, PERF_DATA_IDENTIFIER};
    size_t size = 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        size += data->sample_type & fields[i] ? 8 : 0;
    return size;
}

void perf_data_put_id(const struct perf_data *data, const struct perf_data_id *id)
{
    if (data->sample_type & PERF_DATA_TID) {
        perf_data_put32(data->file, id->pid);
        perf_data_put32(data->file, id->tid);
    }
    if (data->sample_type & PERF_DATA_TIME)
        perf_data_put64(data->file, id->time);
    if (data->sample_type & PERF_DATA_CPU)
        perf_data_put64(data->file, id->cpu);
    if (data->sample_type & PERF_DATA_IDENTIFIER)
        perf_data_put64(data->file, id->event);
}

/* Write a text, its terminating 0, and padding to a multiple of 8 bytes. */
static size_t text_size(const char *text)
{
    return (strlen(text) + 8) & ~(size_t)7;
}

static void put_text(FILE *file, const char *text)
{
    const size_t length = strlen(text);
    fwrite(text, 1, length, file);
    put_zeros(file, text_size(text) - length);
}

void perf_data_mmap(const struct perf_data *data, uint16_t misc, uint64_t address, uint64_t size, uint64_t offset,
                    const char *name, const struct perf_data_id *id)
{
    const bool kernel = misc == PERF_DATA_KERNEL;
    perf_data_header(data->file, PERF_DATA_MMAP, misc, 8 + 24 + text_size(name) + id_size(data));
    perf_data_put32(data->file, kernel ? UINT32_MAX : id->pid);
    perf_data_put32(data->file, kernel ? 0 : id->tid);
    perf_data_put64(data->file, address);
    perf_data_put64(data->file, size);
    perf_data_put64(data->file, offset);
    put_text(data->file, name);
    perf_data_put_id(data, id);
}

void perf_data_comm(const struct perf_data *data, const char *name, const struct perf_data_id *id)
{
    char comm[COMM_SIZE] = "";
    memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
    perf_data_header(data->file, PERF_DATA_COMM, 0, 8 + sizeof(comm) + id_size(data));
    perf_data_put32(data->file, id->pid);
    perf_data_put32(data->file, id->tid);
    fwrite(comm, sizeof(comm), 1, data->file);
    perf_data_put_id(data, id);
}
