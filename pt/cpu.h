/*
 * One CPU's tracing state, private to this room: engine.c, drain.c, record.c and flush.c.
 */
#ifndef PT_CPU_H
#define PT_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/engine.h"
#include "pt/ring.h"

/* For RECORD_END; each is a count. */
struct pt_totals {
    uint64_t pmis;          /* NMIs that a ToPA PMI explains */
    uint64_t spurious_pmis; /* drains after such an NMI that found no region filled */
    uint64_t lvtpc_repairs; /* LVTPC was found changed */
    uint64_t stopped, errors;
    uint64_t drain_tsc; /* TSC ticks of all drains, waiting not counted */
    uint64_t stalls;    /* drains after which the guest had to wait */
    uint64_t stall_tsc; /* TSC ticks it waited */
    uint64_t records;
};

struct pt_cpu {
    bool tracing;     /* PT is configured; else only records work */
    bool pmi_pending; /* drain before TraceEn is set again */
    uint16_t cpu;
    uint64_t rtit_ctl; /* IA32_RTIT_CTL with TraceEn clear */
    struct sink *sink;
    struct ring ring;
    uint64_t *table; /* the ToPA table */
    struct pt_region_memory regions;
    uint64_t entered_tsc; /* when TraceEn was last set */
    uint64_t polled_tsc;  /* when the sink was last polled */
    struct pt_totals totals;
    char text[768]; /* RECORD_END */
};

/* pt/drain.c: take in what was written, hand it over, report gaps, write the registers for what comes next. Waits until
 * the sink has released enough. TraceEn is clear. */
void pt_drain(struct pt_cpu *pt, enum record_drain_cause cause);

/* The same for all bytes, the region in use included; does not wait: pmi_pending stays set where it would have to. */
void pt_drain_all(struct pt_cpu *pt);

/* Let the sink work. */
void pt_poll(struct pt_cpu *pt);

/* pt/lvtpc.c: LVTPC of this CPU's local APIC in its present mode delivers PMIs as NMIs, unmasked. false: it did not,
 * and was repaired. true also where the local APIC is off. */
bool lvtpc_guard(void);

#endif
