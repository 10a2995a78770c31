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

/* May a stream that has come to from go on at offset? */
bool store_hole_explained(const struct store *store, const struct holes *holes, uint64_t from, uint64_t offset);

/* Take a frame that nothing explains, at offset, where due was expected. *confirmed: the frame held before it has its
 * place before it, and both are to be kept. false: no memory. */
bool store_hold(bool *confirmed, struct store *store, struct holes *holes, uint16_t cpu, uint64_t due, uint64_t offset,
                const uint8_t *bytes, size_t size);

/* The stream goes on where it should: a held frame was misplaced. */
void store_give_up_held(struct store *store, struct holes *holes, uint16_t cpu, uint64_t due);

/* The way of every record into the capture. A record_stream_deliver. */
void store_keep_record(void *store, const struct record_header *header, const uint8_t *bytes, size_t size);

/* The end record of a CPU says how many trace bytes there should be. */
void store_check_end(struct store *store, uint16_t cpu, struct record_text end);

#endif
