/*
 * perf.data: the file that Linux's perf records, as far as Intel PT needs it. The layout is that of the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h. Pure but for reading.
 */
#ifndef DECODE_FOREIGN_PERF_FILE_H
#define DECODE_FOREIGN_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_image.h"

/* Those of the kernel, below 64, and of perf itself. */
enum perf_record_type {
    PERF_MMAP = 1,
    PERF_COMM = 3,
    PERF_FORK = 7,
    PERF_SAMPLE = 9,
    PERF_MMAP2 = 10,
    PERF_AUX = 11,
    PERF_ITRACE_START = 12,
    PERF_SWITCH = 14,
    PERF_SWITCH_CPU_WIDE = 15,
    PERF_NR_OF_KERNEL = 64,
    PERF_HEADER_ATTR = 64,
    PERF_HEADER_TRACING_DATA = 66,
    PERF_AUXTRACE_INFO = 70,
    PERF_AUXTRACE = 71,
    PERF_HEADER_FEATURE = 80,
    PERF_COMPRESSED = 81,
    PERF_COMPRESSED2 = 83
};

/* Bits of a record's misc. */
#define PERF_MISC_CPUMODE 7u /* whose mapping it is */
#define PERF_MISC_KERNEL 1u
#define PERF_MISC_USER 2u
#define PERF_MISC_COMM_EXEC 0x2000u
#define PERF_MISC_SWITCH_OUT 0x2000u

struct perf_record {
    uint32_t type;
    uint16_t misc;
    const uint8_t *bytes; /* behind the header: */
    size_t size;
    const uint8_t *data; /* AUXTRACE: what follows the record */
    uint64_t data_size;
};

/* An event that perf recorded. */
struct perf_attr {
    uint32_t type;
    uint64_t config, sample_type;
    bool sample_id_all; /* its records end with a struct perf_sample_id */
    uint64_t ids_at, nr_ids;
};

struct perf_file {
    const uint8_t *bytes;
    size_t size;
    uint64_t at, end;         /* of the records: the next one, and their end */
    bool unfinished;          /* perf did not come to write how many there are: the file may end within one */
    bool piped;               /* it was written to a pipe: the event attributes and features are records */
    uint64_t attrs, attr_end; /* of the event attributes */
    uint64_t attr_size;
    const char *cpuid; /* the header's feature of this name; NULL: it has none */
    size_t cpuid_size;
};

/* When, where and by whom a record was written, as far as it says. */
struct perf_sample_id {
    bool timed;
    uint64_t time;          /* perf's nanoseconds */
    uint32_t pid, tid, cpu; /* UINT32_MAX: not said */
};

/* false: it is none, or not of the kind that can be read; error says what. name: for that. */
bool perf_file_open(struct perf_file *perf, const struct foreign_file *file, const char *name, struct error *error);

/* The next record; false: there is none any more, or, with an error, the file is cut or damaged. */
bool perf_file_next(struct perf_record *record, struct perf_file *perf, const char *name, struct error *error);

/* The event of that index. false: there are not so many. */
bool perf_file_attr(struct perf_attr *attr, const struct perf_file *perf, unsigned index);

/* The first event of that type. false: there is none. */
bool perf_file_event(struct perf_attr *attr, const struct perf_file *perf, uint32_t type);

/* What the end of a kernel's record says. Its own part then ends before that: *size, of record->size. */
struct perf_sample_id perf_file_sample_id(const struct perf_file *perf, const struct perf_record *record, size_t *size);

/* Numbers of a record, little-endian; 0 beyond its end. */
uint32_t perf_32(const struct perf_record *record, size_t offset);
uint64_t perf_64(const struct perf_record *record, size_t offset);

#endif
