/*
 * The file index.executed of a capture: what was executed, and when. docs/ask.md describes its layout. It has only what
 * decoding the capture yields, and is written again if the capture has changed since.
 */
#ifndef DECODE_QUERY_INDEX_FILE_H
#define DECODE_QUERY_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/capture/identity.h"
#include "decode/query/run_table.h"

#define INDEX_NAME "index.executed"
#define INDEX_MAGIC "UTEXEC\r\n"
#define INDEX_VERSION 3u
#define INDEX_GRANULE_SHIFT 8 /* a granule: 256 bytes of linear addresses */

enum index_section {
    INDEX_STRETCHES,
    INDEX_CHUNKS,
    INDEX_RUNS,
    INDEX_SPACES,
    INDEX_GRANULES,
    INDEX_SETS,
    INDEX_SPACE_SETS,
    INDEX_NR_SECTIONS
};

struct index_header {
    char magic[8];
    uint32_t version;
    uint32_t crc;                        /* CRC-32C of everything after the header */
    struct capture_identity identity;    /* the capture that it belongs to */
    uint64_t counts[INDEX_NR_SECTIONS];  /* entries; the sections follow in this order, each from a multiple of 64 on */
    uint64_t branches, instructions;     /* of all CPUs, in non-root operation */
    uint64_t decode_gaps, gaps, damages; /* how many parts of the traces are unknown, by reason */
    uint64_t first_tsc, last_tsc;
    uint32_t header_crc; /* CRC-32C of the fields before it */
    uint32_t zero;
};
_Static_assert(sizeof(struct index_header) == 168, "docs/ask.md: the header of the index is 168 bytes");

/* From one PSB to the next, a gap or the end: struct flow_stretch. */
struct index_stretch {
    uint64_t begin, end, tsc;
    uint64_t branches;
};

/* Consecutive stretches of one CPU, and what they executed: a set of granules and a set of spaces, both ascending. */
struct index_chunk {
    uint32_t cpu, first_stretch, nr_stretches, nr_set;
    uint64_t first_set;
    uint32_t first_space, nr_spaces; /* of its set of spaces */
    uint32_t nr_errors;              /* decoding errors in it; UINT32_MAX: at least so many */
    uint32_t zero;
};
_Static_assert(sizeof(struct index_chunk) == 40, "docs/ask.md: a chunk of the index is 40 bytes");

/* An address space of one process: another process may use the same CR3 later. */
struct index_space {
    uint64_t cr3;  /* from PIP packets, or FLOW_CR3_UNKNOWN */
    uint32_t pid;  /* 0: not known */
    char comm[20]; /* the process's name then, zero-terminated; empty: not known */
};
_Static_assert(sizeof(struct index_space) == 32, "docs/ask.md: a space of the index is 32 bytes");

struct query_index {
    const struct index_header *header;
    const struct index_stretch *stretches;
    const struct index_chunk *chunks;
    const struct run *runs; /* by begin */
    const struct index_space *spaces;
    const uint64_t *granules;   /* addresses >> INDEX_GRANULE_SHIFT, ascending */
    const uint32_t *sets;       /* indexes of granules */
    const uint32_t *space_sets; /* indexes of spaces, ascending in each set */
    void *bytes;
    uint64_t size;
    bool mapped;
};

/* Compute the file offsets of the sections from the counts in the header. Returns the file's size; 0: too large. */
uint64_t index_layout(uint64_t offsets[INDEX_NR_SECTIONS], const struct index_header *header);

/* Parse an index in memory; the bytes must remain valid. false: it is invalid, or does not belong to this capture. */
bool index_take(struct query_index *index, void *bytes, uint64_t size, const struct capture_identity *identity);

/* Read the capture's index file. false: there is none that belongs to it. */
bool index_read(struct query_index *index, const struct capture *capture);

/* Write the index into the capture's directory, atomically. false: errno says why; the index in memory remains usable.
 */
bool index_write(const struct query_index *index, const struct capture *capture);

void index_close(struct query_index *index);

/* The chunk of a stretch, and its CPU. */
const struct index_chunk *index_chunk_of(const struct query_index *index, uint32_t stretch);

/* The index of the first of count granules that is not less than a number; count: there is none. */
uint32_t index_granule_at(const uint64_t *granules, uint64_t count, uint64_t number);

#endif
