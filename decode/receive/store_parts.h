/* What the files of the store share: nobody else's. */
#ifndef DECODE_STORE_PARTS_H
#define DECODE_STORE_PARTS_H

#include "decode/capture/record_stream.h"
#include "decode/receive/holes.h"
#include "decode/receive/store.h"
#include "decode/receive/store_file.h"

struct store_cpu {
    struct store_file trace;
    struct record_stream records;
    struct record_text end, status;
    struct holes trace_holes, record_holes;
};

struct store {
    char *directory_name;
    int directory;
    bool made; /* the directory, by us */
    struct store_file events, index, checksums;
    struct store_cpu *cpus[STORE_MAX_CPUS];
    struct store_totals totals;
    struct record_text hello; /* for meta.json */
    uint64_t may_miss;        /* bytes that lost frames may have carried, and no hole has accounted for */
    struct error error;
};

/* The CPU's, made if this is the first of it. NULL: the store's error says why. */
struct store_cpu *store_cpu(struct store *store, uint16_t cpu);

/* There are so many CPUs at least. */
void store_know_cpus(struct store *store, uint64_t cpus);

/* --- store_records.c ---
 */

/* The way of every record into the capture. */
void store_keep_record(struct store *store, const struct record_header *header, const uint8_t *bytes, size_t size);

/* --- store_trace.c ---
 */

/* Trace that belongs at offset. What is missing before it is a gap; what is there already is left out. */
bool store_keep_trace(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size);

/* The end record of a CPU says how many trace bytes there should be. */
void store_check_end(struct store *store, uint16_t cpu, struct record_text end);

#endif
