/*
 * The tracing state of one CPU, and the functions that the engine's files offer each other. Private to pt/.
 *
 * The files form layers, and calls go downwards only: registers.c and soft_registers.c; record.c; gap_record.c and
 * pause.c; drain.c (pt/drain.h); setup.c; pmi.c, channel_cut.c and command.c; engine.c and flush.c.
 *
 * Access: only the engine's own CPU, in root operation with TraceEn clear, reads and writes a struct pt_engine. There
 * are two exceptions, and neither needs a lock:
 *   - pt_soft_window: other CPUs read window_generation, tracing, suspended, parked and soft.status, and tolerate an
 *     outdated value;
 *   - a CPU that waits for a SIPI (parked): one other CPU at a time, which vmx/ selects, calls pt_trigger,
 *     pt_flush_parked, pt_flush_begin and pt_flush_end for it.
 */
#ifndef PT_ENGINE_STATE_H
#define PT_ENGINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/engine.h"
#include "pt/output/output.h"
#include "pt/soft/soft_pt.h"

/* The counters of RECORD_END. */
struct pt_totals {
    uint64_t pmis;                      /* NMIs that were ToPA PMIs; pmi.c, drain.c */
    uint64_t spurious_pmis;             /* drains after such an NMI that found no filled region; drain.c */
    uint64_t lvtpc_repairs;             /* times that LVTPC was found changed; engine.c */
    uint64_t stopped, errors, overruns; /* gap_record.c */
    uint64_t drain_tsc;                 /* TSC ticks of all drains, without waiting; drain.c */
    uint64_t stalls;                    /* drains after which the guest had to wait; pause.c, as the next three */
    uint64_t stall_tsc;                 /* TSC ticks that it waited */
    uint64_t pauses;                    /* times that the guest ran without being traced */
    uint64_t pause_tsc;                 /* TSC ticks that it did */
    uint64_t forgotten;                 /* gaps made by the flight recorder; drain.c */
    uint64_t records;                   /* record.c */
};

/* Gap records in this CPU's stream. */
static inline uint64_t pt_gaps(const struct pt_totals *t)
{
    return t->stopped + t->errors + t->overruns + t->pauses + t->forgotten;
}

/* One drain, from reading the registers until tracing can continue. */
struct drain {
    enum record_drain_cause cause;
    uint64_t begun_tsc;
    struct plan_snapshot snapshot;
    struct plan_drain plan;
};

/* While a pause is on, TraceEn stays 0: no region is free, or a command has suspended tracing. The guest waits in root
 * operation, or runs without being traced. pause.c begins and ends pauses. */
struct pt_pause {
    bool on;
    bool guest_runs; /* a gap record will be due; engine.c, channel_cut.c */
    bool parked;     /* began when the CPU started to wait for a SIPI: the guest neither runs nor waits; drain.c */
    bool unreported; /* ... and its drain has not been submitted or reported yet; drain.c */
    uint32_t cause;  /* enum record_gap_cause */
    uint64_t at;     /* trace offset */
    uint64_t size;   /* bytes from there on that were written and lost; channel_cut.c */
    uint64_t tsc_from;
    struct drain drain; /* its rearm half is still to do */
};

struct pt_engine;

/* Access to IA32_RTIT_*: registers.c implements it by the processor's MSRs, soft_registers.c by soft PT's variables.
 * TraceEn is clear. setup.c chooses once. */
struct pt_register_ops {
    uint64_t (*read)(const struct pt_engine *pt, uint32_t msr);
    void (*write)(struct pt_engine *pt, uint32_t msr, uint64_t value);
    /* IA32_RTIT_STATUS and the two output registers. */
    void (*output_read)(struct pt_engine *pt, struct plan_snapshot *snapshot);
    void (*output_write)(struct pt_engine *pt, const struct plan_rearm *plan);
};
extern const struct pt_register_ops pt_msr_registers, pt_soft_registers;

struct pt_engine {
    /* --- setup.c: written by pt_engine_init, constant afterwards --- */
    bool tracing;          /* PT is configured; otherwise only records are sent */
    bool has_lvtpc;        /* ... and its PMIs are delivered through LVTPC, which the guest may change */
    bool switched_in_root; /* PT_SWITCH_ROOT: WRMSR changes TraceEn; otherwise VM entries and exits do */
    bool single_region;    /* CPUID.14H:ECX.MENTRY = 0 */
    uint8_t maxphyaddr;
    uint16_t cpu;
    uint32_t region_bytes;
    const struct pt_register_ops *registers;
    struct sink *sink;
    uint64_t *tables; /* the ToPA tables, REGION_RING_MAX_TABLES pages */
    uint64_t tables_pa;
    struct pt_region_memory regions;
    pt_options_parser *parser;
    pt_stall_callback *stall_callback;
    void *stall_context;

    /* --- setup.c: written by pt_setup_apply, at the start and for a command --- */
    uint64_t rtit_ctl;        /* IA32_RTIT_CTL with TraceEn clear */
    struct pt_options config; /* as the last command left it; command.c stores it before */
    enum pt_policy policy;
    uint64_t flush_tsc;         /* pt.flush= in TSC ticks; 0: off */
    bool trace_stop;            /* a TraceStop range is set up */
    bool follows_cr3;           /* loads of CR3 change a register: pt_cr3 */
    uint32_t setup_generation;  /* number of calls */
    uint32_t window_generation; /* what pt_soft_window returns while this CPU is traced */

    /* --- output state --- */
    struct output out;         /* drain.c and record.c, through the functions of its scheme */
    bool offset_current;       /* out.written is up to date since TraceEn was cleared; record.c, drain.c, engine.c */
    bool drain_due;            /* record.c: the output registers were wrong, drain before TraceEn is set again */
    uint64_t submitted_end;    /* drain.c: trace offset of the end of what the sink was given */
    uint64_t checked_tsc;      /* drain.c, engine.c: when output was last known to work */
    uint64_t unsent_tsc;       /* drain.c, engine.c: no byte that was not submitted is older */
    uint64_t period_tsc;       /* engine.c: the argument of the last pt_period_set */
    volatile uint64_t *canary; /* registers.c, as the next; NULL: there is none */
    uint64_t canary_saved[CANARY_WORDS]; /* the bytes that the canary replaced */
    struct soft_pt soft;                 /* soft_registers.c and engine.c, through the functions of pt/soft/ */

    /* --- pauses and suspensions of tracing --- */
    struct pt_pause pause;
    bool suspended;            /* command.c: by a command, or awaits_start */
    bool awaits_start;         /* command.c: the address of pt.start= has not been executed yet */
    uint32_t commands_done;    /* command.c: cursor in the sink's commands */
    bool command_pending;      /* record.c, command.c */
    bool parked;               /* engine.c: pt_park was called, the CPU waits for a SIPI */
    bool channel_cut;          /* channel_cut.c, as the next: the channel was cut */
    bool channel_cut_reported; /* ... and a gap record says so */

    /* --- the sink --- */
    bool poll_due;        /* record.c, as the next: the sink has new records */
    uint64_t polled_tsc;  /* when the sink was last polled */
    uint64_t entered_tsc; /* engine.c: when TraceEn was last set */
    bool ended;           /* flush.c: RECORD_END is out, and nothing was submitted since */
    struct pt_totals totals;
    char text[1024]; /* flush.c, command.c: text of the record that is being built */
};

/* pt/registers.c: write one of IA32_RTIT_*. */
static inline void pt_register_write(struct pt_engine *pt, uint32_t msr, uint64_t value)
{
    pt->registers->write(pt, msr, value);
}

uint64_t pt_register_status(const struct pt_engine *pt);

/* Read the output registers. all: for plan_snapshot.all. */
void pt_registers_read(struct pt_engine *pt, bool all, struct plan_snapshot *snapshot);

/* Remove the canary, and restore the bytes under it unless the hardware has overwritten them. */
void pt_canary_lift(struct pt_engine *pt);

/* Write what a plan says: ToPA entries, the canary, the output registers, IA32_RTIT_STATUS. */
void pt_registers_write(struct pt_engine *pt, const struct plan_rearm *plan);

/* Do the output pointers show that a drain is due? */
bool pt_registers_due(const struct pt_engine *pt);

/* pt/record.c: let the sink work, and check for commands. */
void pt_poll(struct pt_engine *pt);

/* pt/gap_record.c: count a drain's gap and send a gap record; for an output error, a log record as well. */
void pt_gap(struct pt_engine *pt, const struct drain *drain);

/* pt/pause.c: no tracing until pt_pause_end. */
void pt_pause_begin(struct pt_engine *pt, const struct drain *drain, enum record_gap_cause cause);
void pt_pause_end(struct pt_engine *pt);

/* The pause continues for another reason: send a gap record for the time up to now. */
void pt_pause_change(struct pt_engine *pt, enum record_gap_cause cause);

/* The machine may go down: send the gap record of a pause that is still on. */
void pt_pause_report(struct pt_engine *pt);

/* pt/channel_cut.c: the channel was cut. TraceEn is clear, and is never set again. */
void pt_channel_cut(struct pt_engine *pt);

/* pt/setup.c: the capabilities of the CPU's PT, or of soft PT if config selects it. */
void pt_cpuid_of(struct pt_cpuid *cpuid, const struct pt_options *config);

/* Write the registers that pt->config determines and that may change while the guest runs. TraceEn is clear. */
void pt_setup_apply(struct pt_engine *pt, const struct pt_setup *setup);

/* pt/command.c: execute the commands that have arrived. TraceEn is clear. */
void pt_commands(struct pt_engine *pt);

#endif
