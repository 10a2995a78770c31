/*
 * Writing a capture directory while it arrives. docs/capture.md is the format.
 *
 * What is handed in becomes part of the files at the next store_flush. The directory is valid after every single write:
 * files only grow, cpuN.pt has the byte of trace offset X at X, events.bin ends with a whole record or with a part of
 * one that readers leave out. Checksums are written behind what they are of.
 */
#ifndef DECODE_STORE_H
#define DECODE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/capture/text.h"
#include "serial/wire/record.h"

#define STORE_MAX_CPUS 256u

struct store;

/* Of one CPU. */
struct store_cpu_totals {
    uint64_t trace_bytes;
    bool ended; /* its end record has come */
};

/* A frame whose place nothing explains, and that nothing followed: it was not kept. */
struct store_misplaced {
    uint16_t cpu;
    uint64_t offset, due; /* where its stream had come to */
};

struct store_totals {
    uint64_t trace_bytes; /* received, all CPUs; lost ones are not in it */
    uint64_t record_bytes;
    uint64_t records;
    uint64_t drains; /* RECORD_DRAIN records: regions, or parts of them, handed over */
    uint64_t pages;
    uint64_t gaps; /* RECORD_GAP records, ours included */
    uint64_t cuts; /* ... of cause CUT: tracing was over before the guest's end */
    bool sleeps;   /* the end is that of a sleep: the guest may go on untraced */
    uint64_t lost_trace_bytes, lost_record_bytes;
    uint64_t misplaced; /* frames */
    struct store_misplaced first_misplaced;
    bool hello;
    bool ended;       /* the end record of each CPU has come */
    unsigned nr_cpus; /* as the hello record says; at least the highest CPU of which something came, plus 1 */
    struct store_cpu_totals cpus[STORE_MAX_CPUS];
};

/* Make the directory (which must not be there, or be empty) and its files. NULL: error says why. */
struct store *store_create(const char *directory, struct error *error);

/* Why a call below returned false. */
const struct error *store_error(const struct store *store);

/* So many frames were lost before what is handed in next: holes may be as large as they could have been. What nothing
 * explains (no such frames, no RECORD_GAP_RING) waits for a frame that goes on behind it, and is not kept without one.
 */
void store_lost_frames(struct store *store, uint32_t frames);

/* Nothing more comes: no frame waits for another. */
void store_settle(struct store *store);

/* Bytes of a CPU's PT stream at offset. What is already there is left alone; a hole becomes PADs and a RECORD_GAP. */
bool store_trace(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size);

/* Bytes of a CPU's record stream at offset. After a hole, reading goes on at the next place that looks like a record.
 */
bool store_records(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size);

/* Write out all that was handed in. false: see store_error. */
bool store_flush(struct store *store);

/* Payload of the newest RECORD_STATUS of a CPU, until the next call that stores something. size 0: there was none. */
struct record_text store_status(const struct store *store, unsigned cpu);

const struct store_totals *store_totals(const struct store *store);

/* Flush and close. false: the flush failed; store_flush before it would say why. */
bool store_close(struct store *store);

/* Close, and leave no capture: remove the files, and the directory if it was made for them. */
void store_discard(struct store *store);

#endif
