/*
 * Writes a capture directory during the reception. docs/capture.md is the format.
 *
 * The data is in the files after the next store_flush. The directory is valid after every single write: files only
 * grow, cpuN.pt has the byte of trace offset X at X, events.bin ends with a whole record or with a part of one that
 * readers ignore. Checksums are written after the data that they cover.
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

struct resume_point;
struct store;

/* Totals of one CPU. */
struct store_cpu_totals {
    uint64_t trace_bytes;
    bool ended; /* its end record was received */
};

/* A frame at an unexplained offset that no other frame followed: it was dropped. */
struct store_misplaced {
    uint16_t cpu;
    uint64_t offset, due; /* due: the end of its stream at that time */
};

struct store_totals {
    uint64_t trace_bytes; /* received, of all CPUs, without lost ones */
    uint64_t record_bytes;
    uint64_t records;
    uint64_t drains; /* RECORD_DRAIN records: regions, or parts of them, handed over */
    uint64_t pages;
    uint64_t gaps; /* RECORD_GAP records, those of the receiver included */
    uint64_t cuts; /* ... of cause CUT: tracing ended before the guest did */
    bool sleeps;   /* tracing ended for a sleep state: the guest may continue untraced */
    uint64_t lost_trace_bytes, lost_record_bytes;
    uint64_t misplaced; /* frames */
    struct store_misplaced first_misplaced;
    bool hello;
    bool ended;       /* the end records of all CPUs were received */
    unsigned nr_cpus; /* by the hello record; at least the highest CPU with data, plus 1 */
    struct store_cpu_totals cpus[STORE_MAX_CPUS];
};

/* Make the directory (which must not exist, or be empty) and its files. NULL: error says why. */
struct store *store_create(const char *directory, struct error *error);

/* Remove all that was stored, and begin again in the same directory. false: see store_error. */
bool store_restart(struct store *store);

/* Each CPU's records begin at this offset of their stream, and not at 0: before the first call that stores something.
 */
void store_begin_at(struct store *store, uint64_t records);

/* When there is no room on the disk, wait is called until there is, or until it returns false; it should pause for a
 * moment. reason: errno. Without it, writing fails. */
void store_on_full(struct store *store, bool (*wait)(void *context, int reason), void *context);

/* Why a call below returned false. */
const struct error *store_error(const struct store *store);

/* So many frames, of most_bytes bytes at most, were lost before the next data: holes up to their possible size are
 * accepted. A frame after any other hole (without lost frames or a RECORD_GAP_RING) waits for one that follows it, and
 * is dropped if none does. */
void store_lost_frames(struct store *store, uint32_t frames, uint32_t most_bytes);

/* Nothing more will arrive: drop the frames that wait for another one. */
void store_settle(struct store *store);

/* Bytes of a CPU's trace at offset. Bytes that are there already are ignored; a hole becomes PADs and a RECORD_GAP. */
bool store_trace(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size);

/* Bytes of a CPU's record stream at offset. After a hole, reading continues at the next bytes that look like a record.
 */
bool store_records(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size);

/* The bytes of all files, without holes. */
uint64_t store_bytes(const struct store *store);

/* Write all data to the files. false: see store_error. */
bool store_flush(struct store *store);

/* The same, and record the position of the reception: after it, all that was received so far may be acknowledged. A
 * receiver that is started again continues there (store_resume.h). false: see store_error. */
bool store_commit(struct store *store, const struct resume_point *point);

/* Payload of the newest RECORD_STATUS of a CPU, valid until the next call that stores something. size 0: none. */
struct record_text store_status(const struct store *store, unsigned cpu);

const struct store_totals *store_totals(const struct store *store);

/* The stream has ended, though not with its end records: nothing is left to resume. */
void store_conclude(struct store *store);

/* Flush and close. If all CPUs have ended, nothing is left to resume. false: the flush failed. Call
 * store_flush first to get the error. */
bool store_close(struct store *store);

/* Close without a flush, and leave everything as it is. */
void store_abandon(struct store *store);

/* Close and remove the files, and the directory if store_create made it. */
void store_discard(struct store *store);

#endif
