/*
 * perf.data: the file that Linux's perf records, as far as Intel PT needs it. The layout is that of the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h. Pure.
 */
#ifndef DECODE_FOREIGN_PERF_FILE_H
#define DECODE_FOREIGN_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_image.h"

/* Below 64 the kernel's, from 64 on perf's own. */
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
    PERF_ID_INDEX = 69,
    PERF_AUXTRACE_INFO = 70,
    PERF_AUXTRACE = 71,
    PERF_HEADER_FEATURE = 80,
    PERF_COMPRESSED = 81,
    PERF_COMPRESSED2 = 83
};

/* Bits of perf_event_attr.sample_type. */
enum {
    PERF_SAMPLE_TID = 1 << 1,
    PERF_SAMPLE_TIME = 1 << 2,
    PERF_SAMPLE_READ = 1 << 4,
    PERF_SAMPLE_CALLCHAIN = 1 << 5,
    PERF_SAMPLE_ID = 1 << 6,
    PERF_SAMPLE_CPU = 1 << 7,
    PERF_SAMPLE_STREAM_ID = 1 << 9,
    PERF_SAMPLE_RAW = 1 << 10,
    PERF_SAMPLE_BRANCH_STACK = 1 << 11,
    PERF_SAMPLE_REGS_USER = 1 << 12,
    PERF_SAMPLE_STACK_USER = 1 << 13,
    PERF_SAMPLE_IDENTIFIER = 1 << 16,
    PERF_SAMPLE_REGS_INTR = 1 << 18,
    PERF_SAMPLE_AUX = 1 << 20
};

/* Bits of a record's misc. */
#define PERF_MISC_CPUMODE 7u /* of MMAP records: the kernel's or a user's mapping */
#define PERF_MISC_KERNEL 1u
#define PERF_MISC_USER 2u
#define PERF_MISC_COMM_EXEC 0x2000u
#define PERF_MISC_SWITCH_OUT 0x2000u

struct perf_record {
    uint32_t type;
    uint16_t misc;
    const uint8_t *bytes; /* after the header */
    size_t size;
    const uint8_t *data; /* of AUXTRACE: the trace that follows the record */
    uint64_t data_size;
};

/* An event that perf recorded. */
struct perf_attr {
    uint32_t type;
    uint64_t config, sample_type, read_format;
    uint64_t branches, user_registers, interrupt_registers; /* branch_sample_type, masks of registers in samples */
    bool sample_id_all;                                     /* its records end with a struct perf_sample_id */
    uint64_t ids_at, nr_ids;
};

struct perf_file {
    const uint8_t *bytes;
    size_t size;
    uint64_t at, end;         /* offsets of the next record, and of the end of the records */
    bool unfinished;          /* perf did not write the size of the records: the file may end within one */
    bool piped;               /* written to a pipe: the event attributes and features are records */
    uint64_t attrs, attr_end; /* of the event attributes */
    uint64_t attr_size;
    uint64_t id_index; /* offset of the first ID_INDEX record, which others may follow; 0: not known */
    const char *cpuid; /* the feature "cpuid" of the header; NULL: there is none */
    size_t cpuid_size;
};

/* The time, CPU and thread of a record, as far as it has them. */
struct perf_sample_id {
    bool timed;
    uint64_t time;          /* perf's nanoseconds */
    uint32_t pid, tid, cpu; /* UINT32_MAX: not known */
};

/* name is for errors. false: error says why the file cannot be read. */
bool perf_file_open(struct perf_file *perf, const struct foreign_file *file, const char *name, struct error *error);

/* The next record. false: there are no more, or, with an error, the file is truncated or damaged. */
bool perf_file_next(struct perf_record *record, struct perf_file *perf, const char *name, struct error *error);

/* The event with this index. false: there is none. */
bool perf_file_event_at(struct perf_attr *attr, const struct perf_file *perf, unsigned index);

/* The first event of a type. false: there is none. */
bool perf_file_event(struct perf_attr *attr, const struct perf_file *perf, uint32_t type);

/* The event that a record of the kernel belongs to. false: not known. */
bool perf_file_event_of(struct perf_attr *attr, const struct perf_file *perf, const struct perf_record *record);

/* The struct perf_sample_id at the end of a record of the kernel. *size: of the record without it. */
struct perf_sample_id perf_file_sample_id(const struct perf_file *perf, const struct perf_record *record, size_t *size);

/* Little-endian numbers of a record; 0 after its end. */
uint32_t perf_32(const struct perf_record *record, size_t offset);
uint64_t perf_64(const struct perf_record *record, size_t offset);

#endif
