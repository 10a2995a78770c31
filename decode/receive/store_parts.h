/* Private to the store: what its files share. */
#ifndef DECODE_STORE_PARTS_H
#define DECODE_STORE_PARTS_H

#include "decode/capture/record_stream.h"
#include "decode/receive/holes.h"
#include "decode/receive/journal.h"
#include "decode/receive/store.h"
#include "decode/receive/store_file.h"

struct store_cpu {
    struct store_file trace;
    struct record_stream records;
    uint64_t lost_recorded; /* of the lost bytes of records: how many a RECORD_LOST states */
    uint64_t trace_offset;  /* the highest of the records so far */
    struct record_text end, status;
    struct holes trace_holes, record_holes;
};

struct store {
    char *directory_name;
    int directory;
    bool made; /* store_create made the directory */
    struct store_file events, index, checksums;
    struct store_cpu *cpus[STORE_MAX_CPUS];
    struct store_totals totals;
    struct record_text hello; /* for meta.json */
    uint64_t first_record;    /* the offset at which each CPU's records begin */
    uint64_t may_miss;        /* most bytes of lost frames that no hole has accounted for yet */
    struct store_waiter waiter;
    struct journal journal;
    uint8_t *state; /* store_commit builds it here */
    size_t state_size;
    struct error error;
};

/* A store without files, in a directory that is open. The directory is closed if there is no memory for it. */
struct store *store_in(int fd, const char *directory, struct error *error);

/* A CPU, made at its first use. NULL: the store's error says why. store_cpu_add makes none of its files. */
struct store_cpu *store_cpu(struct store *store, uint16_t cpu);
struct store_cpu *store_cpu_add(struct store *store, uint16_t cpu);

/* There are at least so many CPUs. */
void store_know_cpus(struct store *store, uint64_t cpus);

/* --- store_records.c ---
 */

/* Write a record; every record passes here. */
void store_keep_record(struct store *store, const struct record_header *header, const uint8_t *bytes, size_t size);

/* Take a record that is in the files already, as an earlier process has taken it. payload: only of kinds that have an
 * effect on the store. */
void store_recall_record(struct store *store, const struct record_header *header, const uint8_t *payload);

/* Write meta.json again. */
void store_rewrite_meta(struct store *store);

/* Write a RECORD_LOST if records of a CPU are missing since the last one. */
void store_keep_lost(struct store *store, uint16_t cpu);

/* --- store_trace.c ---
 */

/* Write trace bytes at offset. Missing bytes before it become a gap; bytes that are there already are ignored. */
bool store_keep_trace(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size);

/* Compare the trace with the number of bytes in a CPU's end record. */
void store_check_end(struct store *store, uint16_t cpu, struct record_text end);

#endif
