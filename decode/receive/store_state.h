/* Private to the store: its state in the journal. docs/capture.md, "resume", is the format. */
#ifndef DECODE_STORE_STATE_H
#define DECODE_STORE_STATE_H

#include <stdint.h>

#include "decode/receive/journal.h"
#include "decode/receive/resume_point.h"
#include "decode/receive/store.h"

#define STORE_STATE_VERSION 1u

struct store_state {
    struct journal_header header;
    uint32_t version;
    uint32_t nr_cpus; /* so many struct store_cpu_state follow, each with its bytes */
    uint64_t events_end, index_end, checksums_end;
    uint64_t events_summed, index_summed;
    uint64_t record_bytes, lost_trace_bytes, lost_record_bytes, misplaced, may_miss;
    struct store_misplaced first_misplaced;
    struct resume_point point;
};

struct store_cpu_state {
    uint16_t cpu;
    uint16_t lost_track;
    uint32_t used; /* bytes of an unfinished record, which follow, with zeros up to a multiple of 8 */
    uint64_t trace_end, trace_summed, trace_bytes;
    uint64_t records_offset, records_lost;
};

static inline size_t store_cpu_state_bytes(uint32_t used)
{
    return sizeof(struct store_cpu_state) + (((size_t)used + 7) & ~(size_t)7);
}

#endif
