/*
 * Writer of perf.data: the header, events, records with their sample ids, and the machine's features that perf
 * requires. The layout is that of the kernel's tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h. Errors of the stream remain in the stream.
 */
#ifndef DECODE_EXPORT_PERF_DATA_H
#define DECODE_EXPORT_PERF_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum perf_data_record {
    PERF_DATA_MMAP = 1,
    PERF_DATA_COMM = 3,
    PERF_DATA_SAMPLE = 9,
    PERF_DATA_ITRACE_START = 12,
    PERF_DATA_AUXTRACE_INFO = 70,
    PERF_DATA_AUXTRACE = 71
};

/* misc of a record: the owner of the code */
enum { PERF_DATA_KERNEL = 1, PERF_DATA_USER = 2 };

/* perf_event_attr.sample_type */
enum {
    PERF_DATA_IP = 1 << 0,
    PERF_DATA_TID = 1 << 1,
    PERF_DATA_TIME = 1 << 2,
    PERF_DATA_ADDR = 1 << 3,
    PERF_DATA_CALLCHAIN = 1 << 5,
    PERF_DATA_CPU = 1 << 7,
    PERF_DATA_PERIOD = 1 << 8,
    PERF_DATA_IDENTIFIER = 1 << 16
};

/* flags of perf_event_attr */
#define PERF_DATA_ATTR_MMAP (1ull << 8)
#define PERF_DATA_ATTR_COMM (1ull << 9)
#define PERF_DATA_ATTR_SAMPLE_ID_ALL (1ull << 18)
#define PERF_DATA_ATTR_EXCLUDE_GUEST (1ull << 20) /* perf's default; without it, perf prints a note */

/* perf_event_attr.type */
enum { PERF_DATA_HARDWARE = 0, PERF_DATA_SOFTWARE = 1 };

struct perf_data_attr {
    uint32_t type;
    uint64_t config, period, sample_type, flags;
};

struct perf_data {
    FILE *file; /* a seekable file */
    uint64_t sample_type;
    size_t nr_attrs;
    uint64_t begin; /* offset of the first record */
};

/* The sample id at the end of each record of the kernel, with the fields of the sample type. */
struct perf_data_id {
    uint32_t pid, tid;
    uint64_t time; /* nanoseconds; 0: none */
    uint32_t cpu;
    uint64_t event; /* 1: the first attribute, and so on */
};

/* Events of one sample type. */
void perf_data_begin(struct perf_data *data, FILE *file, const struct perf_data_attr *attrs, size_t nr_attrs);

/* Call after the last record. */
void perf_data_end(const struct perf_data *data, uint32_t nr_cpus);

/* A record is a header, its content, and the id; size is that of the content. */
void perf_data_header(FILE *file, uint32_t type, uint16_t misc, size_t size);
void perf_data_put32(FILE *file, uint32_t value);
void perf_data_put64(FILE *file, uint64_t value);
void perf_data_put_id(const struct perf_data *data, const struct perf_data_id *id);

/* A mapping of a file, or of a substitute for one: size bytes from offset on, at an address. pid and tid are those of
 * id. The kernel has PERF_DATA_KERNEL, and no pid. */
void perf_data_mmap(const struct perf_data *data, uint16_t misc, uint64_t address, uint64_t size, uint64_t offset,
                    const char *name, const struct perf_data_id *id);

/* A thread's name, cut to 15 characters. */
void perf_data_comm(const struct perf_data *data, const char *name, const struct perf_data_id *id);

#endif
