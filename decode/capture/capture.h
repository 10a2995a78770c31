/*
 * Reads a capture directory. docs/capture.md is the format.
 *
 * Files are mapped, not copied. A truncated capture is readable up to its end.
 */
#ifndef DECODE_CAPTURE_H
#define DECODE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture_map.h"
#include "decode/capture/cpu_clock.h"
#include "decode/capture/damage.h"
#include "decode/capture/error.h"
#include "decode/capture/text.h"
#include "serial/wire/record.h"

#define CAPTURE_MAX_CPUS 256u
/* The capture_format of meta.json that the receiver writes. Readers accept it and all lower ones (docs/versions.md). */
#define CAPTURE_FORMAT 1u

struct capture_record {
    struct record_header header; /* tsc: by the clock of the trace (decode/capture/cpu_clock.h) */
    uint64_t events_offset;      /* of the header in events.bin */
    const uint8_t *payload;      /* header.length bytes */
};

struct capture_trace {
    bool present;
    const uint8_t *bytes;
    uint64_t size; /* bytes; trace offset X is bytes[X] */
};

struct capture {
    char *directory;
    struct capture_trace cpus[CAPTURE_MAX_CPUS];
    unsigned nr_cpus; /* by the hello record; at least the highest CPU with a trace or a record, plus 1 */
    const uint8_t *events;
    uint64_t events_size;
    struct capture_record *records; /* in the order of events.bin */
    size_t nr_records;
    uint64_t events_left_over; /* bytes of an unfinished record at the end of events.bin */
    struct capture_map checksums;
    struct damages damages;   /* of all files but traces, and of traces that capture_check_trace has checked */
    struct damages unsummed;  /* ends of files without a checksum: the receiver still runs, or was killed */
    struct record_text hello; /* payloads of RECORD_HELLO and of each RECORD_END; size 0 = missing */
    struct record_text ends[CAPTURE_MAX_CPUS];
    struct cpu_clock clocks[CAPTURE_MAX_CPUS];
};

/* Does the capture have the end record of each CPU? */
bool capture_ended(const struct capture *capture);

/* Open a capture. NULL: error says why. */
struct capture *capture_open(const char *directory, struct error *error);
void capture_close(struct capture *capture);

/* Iterate over the records of a kind of one CPU: *position starts at 0 and advances. NULL: no more. */
const struct capture_record *capture_next(const struct capture *capture, size_t *position, enum record_kind kind,
                                          uint16_t cpu);

/* The trace of a CPU. NULL: there is none, and error is set. */
const struct capture_trace *capture_trace(const struct capture *capture, uint64_t cpu, struct error *error);

#endif
