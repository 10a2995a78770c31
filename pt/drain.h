/*
 * A drain: read the output registers, submit what was written to the sink, report gaps, and write the registers for
 * what comes next. TraceEn is clear. Private to pt/.
 */
#ifndef PT_DRAIN_H
#define PT_DRAIN_H

#include "pt/engine_state.h"

/* The three steps, in this order. 1: read the registers and plan what to submit. */
void drain_read(struct pt_engine *pt, struct drain *drain, enum record_drain_cause cause);

/* 2: give the bytes to the sink, unless the flight recorder keeps them, and report a gap. */
void drain_submit(struct pt_engine *pt, struct drain *drain);

/* 3: rearm. If no region is free, a pause begins. */
void drain_finish(struct pt_engine *pt, const struct drain *drain);

/* Write the registers so that tracing can continue after the drain. false: no region is free. */
bool drain_rearm(struct pt_engine *pt, const struct drain *drain);

/* All three steps, without a PMI. */
void drain_poll(struct pt_engine *pt);

/* All three steps for soft PT's ToPA PMI, which is not an interrupt: it is served before the next step of the guest. */
void drain_soft_pmi(struct pt_engine *pt);

/* All three steps for all bytes, including the region in use and those that the flight recorder keeps. */
void drain_all(struct pt_engine *pt);

/* Submit, and begin the pause that a command asked for. */
void drain_suspend(struct pt_engine *pt);

/* The CPU starts to wait for a SIPI: read the registers, and begin a pause. drain_unpark, when the CPU runs again, does
 * the rest. In between another CPU may call drain_all. */
void drain_park(struct pt_engine *pt);
void drain_unpark(struct pt_engine *pt);

#endif
