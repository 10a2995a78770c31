/*
 * A fake of the processor's output unit and of the receiver, for tests: each byte that the "processor" makes has a
 * number; what arrives is compared with what was made.
 */
#ifndef TESTS_UNIT_PT_FAKE_OUTPUT_H
#define TESTS_UNIT_PT_FAKE_OUTPUT_H

#include <stdlib.h>
#include <string.h>

#include "pt/output/output.h"
#include "pt/output/scheme.h"
#include "pt/rtit.h"

#define TABLES_PA 0x7000000ull
#define REGIONS_PA 0x40000000ull
#define CANARY_SEQ 0xffffff00u /* memory holds a canary: the low bits say which byte of it */

struct fake_setup {
    enum pt_scheme scheme;
    bool stop;
    bool mentry; /* the part's tables hold several regions */
    uint32_t region_bytes, nr_regions;
    uint32_t early;    /* bytes before a region's end at which the PMI comes, where the part holds one region */
    uint32_t max_skid; /* bytes from there to the exit that it causes */
    uint32_t max_run;  /* bytes between two exits without a PMI */
    bool errors;
    bool lost;           /* no PMI is delivered: only output_scheme.due says that a drain is due */
    bool recorder;       /* flight recorder: only a drain of all hands over */
    uint32_t stream_max; /* bytes made in one run, about */
};

struct fake {
    struct fake_setup setup;
    struct pt_options config;
    /* memory and registers */
    uint64_t tables[REGION_RING_MAX_TABLES * TOPA_TABLE_ENTRIES];
    uint32_t *memory; /* number of the byte there, from 1; 0: none; or CANARY_SEQ */
    uint64_t memory_bytes;
    uint64_t canary; /* its place, or CANARY_NONE */
    uint32_t canary_saved[CANARY_BYTES];
    struct topa_walk walk;
    uint64_t status, range_offset;
    bool pmi, pmi_sent, loaded;
    uint32_t made; /* bytes made, lost ones too */
    /* the receiver, by stream offset */
    uint32_t *got, *place;
    uint8_t *marks; /* FAKE_* */
    uint64_t received, released;
    uint64_t kept_min; /* flight recorder: the fewest bytes that a drain of all found, where as many had been made */
    /* the code under test and its totals */
    struct output out;
    unsigned pmis, gaps, overruns, stalls;
    uint64_t seed;
};

#define FAKE_DAMAGED 1u   /* overwritten before it was released */
#define FAKE_VOID 2u      /* a gap record says so */
#define FAKE_AFTER_GAP 4u /* a gap record precedes this byte */

static inline uint64_t fake_random(struct fake *fake, uint64_t bound)
{
    fake->seed ^= fake->seed << 13;
    fake->seed ^= fake->seed >> 7;
    fake->seed ^= fake->seed << 17;
    return fake->seed % bound;
}

struct fake *fake_make(const struct fake_setup *setup, uint64_t seed);
void fake_free(struct fake *fake);

/* The processor makes so many bytes, or fewer where a PMI comes. */
void fake_write(struct fake *fake, uint64_t bytes, bool until_pmi);

/* IA32_RTIT_STATUS.Error: the pointers may be anything, an entry is broken. */
void fake_break(struct fake *fake);

/* One VM exit's work: a drain. */
void fake_drain(struct fake *fake, bool all);

/* By the output pointers: is a drain due? */
bool fake_due(const struct fake *fake);

/* What a record does: take the pointers in. */
bool fake_take(struct fake *fake);

/* The receiver acknowledges some. */
void fake_release(struct fake *fake);

/* Every byte that arrived is the next one that was made, except after a gap record; none was overwritten early. */
void fake_verify(const struct fake *fake);

#endif
