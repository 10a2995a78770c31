/*
 * One CPU's tracing state, and what the files that work on it offer each other. Private to pt/.
 *
 * They stand in layers, each calls downwards only: registers.c; record.c; gap.c and pause.c; drain.c (pt/drain.h);
 * setup.c; pmi.c, cut.c and command.c; engine.c and flush.c.
 */
#ifndef PT_ENGINE_STATE_H
#define PT_ENGINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/engine.h"
#include "pt/output/output.h"
#include "pt/soft/soft_pt.h"

/* For RECORD_END; each is a count. */
struct pt_totals {
    uint64_t pmis;          /* NMIs that a ToPA PMI explains */
    uint64_t spurious_pmis; /* drains after such an NMI that found no region filled */
    uint64_t lvtpc_repairs; /* LVTPC was found changed */
    uint64_t stopped, errors, overruns;
    uint64_t drain_tsc; /* TSC ticks of all drains, waiting not counted */
    uint64_t stalls;    /* drains after which the guest had to wait */
    uint64_t stall_tsc; /* TSC ticks it waited */
    uint64_t pauses;    /* times that the guest ran on untraced */
    uint64_t pause_tsc; /* TSC ticks it did */
    uint64_t forgotten; /* gaps by the flight recorder */
    uint64_t records;
};

/* Gap records in this CPU's stream. */
static inline uint64_t pt_gaps(const struct pt_totals *t)
{
    return t->stopped + t->errors + t->overruns + t->pauses + t->forgotten;
}

/* One drain, from the registers as they were until tracing can go on. */
struct drain {
    enum record_drain_cause cause;
    uint64_t begun_tsc;
    struct plan_snapshot snapshot;
    struct plan_drain plan;
};

/* TraceEn stays 0 until a region is free and no command holds tracing back. The guest waits in root, or runs on. */
struct pt_pause {
    bool on;
    bool guest_runs; /* a gap record will be due */
    bool parked;     /* since the CPU waits for a SIPI: neither the guest runs, nor does it wait */
    bool unreported; /* ... and nothing of the drain has been handed over and reported */
    uint32_t cause;  /* enum record_gap_cause */
    uint64_t at;     /* trace offset */
    uint64_t size;   /* bytes from there on that were written and lost */
    uint64_t tsc_from;
    struct drain drain; /* to be armed */
};

struct pt_engine {
    bool tracing;          /* PT is configured; else only records work */
    bool has_lvtpc;        /* ... and its PMIs come through LVTPC, which the guest may change */
    bool switched_in_root; /* PT_SWITCH_ROOT: TraceEn changes by WRMSR here; else VM entries and exits do it */
    bool drain_due;        /* before TraceEn is set again: the pointers are not to be believed */
    bool taken;            /* since TraceEn is clear, the registers have been taken in: out.written holds */
    uint16_t cpu;
    uint64_t rtit_ctl; /* IA32_RTIT_CTL with TraceEn clear */
    struct sink *sink;
    struct output out;
    uint64_t *tables; /* the ToPA tables, REGION_RING_MAX_TABLES pages */
    uint64_t tables_pa;
    struct pt_region_memory regions;
    volatile uint64_t *canary; /* NULL: there is none */
    uint64_t under_canary[CANARY_WORDS];
    struct pt_options config; /* as commands have left it */
    enum pt_scheme scheme;
    enum pt_policy policy;
    pt_options_parser *parser;
    uint32_t commands_done; /* the cursor in the sink's box */
    bool command_waits;
    bool held;            /* by a command, or awaits */
    bool awaits;          /* pt.start= has not been reached */
    bool parked;          /* pt_park: the CPU waits for a SIPI */
    bool cut, cut_told;   /* the channel was cut; a gap record says so */
    bool is_soft;         /* packets are made by single steps */
    uint32_t setups;      /* how often what is traced was set */
    uint32_t soft_window; /* pt_soft_window, while this CPU is traced */
    bool ended;           /* RECORD_END is out, and nothing has been handed over since */
    pt_waiting *waiting;
    void *waiting_context;
    struct pt_pause pause;
    uint64_t sent_end; /* trace offset behind the last byte given to the sink */
    uint32_t region_bytes;
    uint8_t maxphyaddr;
    bool single_region;   /* CPUID.14H:ECX.MENTRY = 0 */
    bool trace_stop;      /* a TraceStop range is set up */
    uint64_t entered_tsc; /* when TraceEn was last set */
    bool unsent;          /* the sink has something new */
    uint64_t polled_tsc;  /* when the sink was last polled */
    uint64_t checked_tsc; /* when output was last known to go on */
    struct pt_totals totals;
    struct soft_pt soft;
    char text[1024]; /* RECORD_END */
};

/* pt/registers.c: IA32_RTIT_*, the CPU's or soft PT's. */
void pt_register_write(struct pt_engine *pt, uint32_t msr, uint64_t value);
uint64_t pt_register_status(const struct pt_engine *pt);

/* The output registers, with TraceEn clear. */
void pt_registers_read(struct pt_engine *pt, bool all, struct plan_snapshot *snapshot);

/* Take the canary away; what it stood on comes back, where the hardware has not written over it. */
void pt_canary_lift(struct pt_engine *pt);

/* Write what a plan says: entries, the canary, the output MSRs, IA32_RTIT_STATUS. */
void pt_registers_write(struct pt_engine *pt, const struct plan_rearm *plan);

/* By the pointers: has enough been written for a drain? */
bool pt_registers_due(const struct pt_engine *pt);

/* pt/record.c: let the sink work, and look for commands. */
void pt_poll(struct pt_engine *pt);

/* pt/gap.c: count a drain's gap and report it in a record, and where the hardware found an error in a log line too. */
void pt_gap(struct pt_engine *pt, const struct drain *drain);

/* pt/pause.c: no trace from here on until pt_pause_end. */
void pt_pause_begin(struct pt_engine *pt, const struct drain *drain, enum record_gap_cause cause);
void pt_pause_end(struct pt_engine *pt);

/* The pause goes on for another reason: report it up to now. */
void pt_pause_change(struct pt_engine *pt, enum record_gap_cause cause);

/* The machine may go down: the gap record of a pause that is not over. */
void pt_pause_report(struct pt_engine *pt);

/* pt/channel_cut.c: the channel was cut. TraceEn is clear, and stays so. */
void pt_cut(struct pt_engine *pt);

/* pt/setup.c: what the CPU's PT can do, or soft PT, whichever config takes. */
void pt_cpuid_of(struct pt_cpuid *cpuid, const struct pt_options *config);

/* Write what pt->config asks for, where it may change. TraceEn is clear. */
void pt_setup_apply(struct pt_engine *pt, const struct pt_setup *setup);

/* pt/command.c: carry out the commands that have arrived. TraceEn is clear. */
void pt_commands(struct pt_engine *pt);

#endif
