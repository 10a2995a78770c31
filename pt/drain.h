/*
 * A drain: take in what was written, hand it over, tell of gaps, write the registers for what comes next. Shell;
 * private to pt/. TraceEn is clear.
 */
#ifndef PT_DRAIN_H
#define PT_DRAIN_H

#include "pt/engine_state.h"

/* The three steps, in this order. Read the registers, and plan what to hand over. */
void drain_read(struct pt_engine *pt, struct drain *drain, enum record_drain_cause cause);

/* Give the bytes to the sink, unless the flight recorder keeps them, and tell of a gap. */
void drain_hand_over(struct pt_engine *pt, struct drain *drain);

/* Rearm; where no region is free a pause begins. */
void drain_finish(struct pt_engine *pt, const struct drain *drain);

/* Write the registers so that tracing can go on behind the drain. false: no region is free. */
bool drain_rearm(struct pt_engine *pt, const struct drain *drain);

/* All three, where no PMI asks for it. */
void drain_poll(struct pt_engine *pt);

/* For soft PT's ToPA PMI, which is no interrupt: it is served before the next step. */
void drain_soft_pmi(struct pt_engine *pt);

/* The same for all bytes, the region in use and those that the flight recorder keeps included. */
void drain_all(struct pt_engine *pt);

/* Hand over, and begin the pause that a command asked for. */
void drain_hold(struct pt_engine *pt);

/* Read the registers and no more, begin a pause; and later, when the CPU runs again, the rest. Meanwhile another CPU
 * may call drain_all. */
void drain_park(struct pt_engine *pt);
void drain_unpark(struct pt_engine *pt);

#endif
