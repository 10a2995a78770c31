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
    PERF_MMAP2 = 10,
    PERF_ITRACE_START = 12,
    PERF_AUXTRACE_INFO = 70,
    PERF_AUXTRACE = 71,
    PERF_COMPRESSED = 81
};

/* Bits of a record's misc: whose mapping it is. */
#define PERF_MISC_CPUMODE 7u
#define PERF_MISC_USER 2u

struct perf_record {
    uint32_t type;
    uint16_t misc;
    const uint8_t *bytes; /* behind the header: */
    size_t size;
    const uint8_t *data; /* AUXTRACE: what follows the record */
    uint64_t data_size;
};

struct perf_file {
    const uint8_t *bytes;
    size_t size;
    uint64_t at, end;         /* of the records: the next one, and their end */
    uint64_t attrs, attr_end; /* of the event attributes */
    uint64_t attr_size;
    const char *cpuid; /* the header's feature of this name; NULL: it has none */
    size_t cpuid_size;
};

/* false: it is none, or not of the kind that can be read; error says what. name: for that. */
bool perf_file_open(struct perf_file *perf, const struct foreign_file *file, const char *name, struct error *error);

/* The next record; false: there is none any more, or, with an error, the file is cut or damaged. */
bool perf_file_next(struct perf_record *record, struct perf_file *perf, const char *name, struct error *error);

/* config of the event with that type. false: there is none. */
bool perf_file_config(uint64_t *config, const struct perf_file *perf, uint32_t type);

/* Numbers of a record, little-endian; 0 beyond its end. */
uint32_t perf_32(const struct perf_record *record, size_t offset);
uint64_t perf_64(const struct perf_record *record, size_t offset);

#endif
