/*
 * The PT engine: Intel PT on one CPU, from configuration to the last byte. Shell; the decisions are in
 * pt/output/plan.c, pt/output/region_ring.c, pt/output/topa.c and pt/caps.c.
 *
 * boot/ calls pt_engine_init. vmx/ calls the hooks below, and pt/lvtpc.h.
 */
#ifndef PT_ENGINE_H
#define PT_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/caps.h"
#include "pt/soft/soft_pt.h"
#include "serial/wire/record.h"
#include "serial/wire/sink.h"

struct pt_engine; /* pt/engine_state.h */

struct pt_region_memory {
    void *va; /* nr_regions * region_bytes, aligned as pt_scheme_align says */
    uint64_t pa;
};

/* Bytes that pt_engine_init needs for struct pt_engine and its ToPA tables; page-aligned. */
#define PT_ENGINE_SIZE (10 * 4096u)

/* Read what pt_options_resolve judges, on this CPU. */
void pt_cpuid_read(struct pt_cpuid *cpuid);

/* Set PT up on this CPU. config NULL or config->enabled false: tracing stays off, records still go to the sink.
 * The same where pt_options_resolve refuses config or regions do not fit it: ask pt_engine_tracing.
 * memory is PT_ENGINE_SIZE bytes, page-aligned, in the direct map at memory_pa. */
struct pt_engine *pt_engine_init(void *memory, uint64_t memory_pa, uint16_t cpu, const struct pt_options *config,
                                 struct pt_region_memory regions, struct sink *sink);

/* Will pt_enter set TraceEn? *rtit_ctl, unless NULL, receives IA32_RTIT_CTL as it will be then. */
bool pt_engine_tracing(const struct pt_engine *pt, uint64_t *rtit_ctl);

/* Reads options, as "pt.user=off policy=drop", for a command: boot/ lends the one that reads the command line. false:
 * why, of size bytes, says which word is wrong. Only what can change while the guest runs. */
typedef bool pt_options_parser(struct pt_options *config, const char *text, char *why, size_t size);
void pt_options_parser_set(struct pt_engine *pt, pt_options_parser *parser);

/* Called again and again while pt_enter lets the guest wait (policy stall): another CPU may want something of this one.
 * pt_flush_begin, pt_flush_end and pt_trigger of this engine may be called in it. */
typedef void pt_waiting(void *context);
void pt_waiting_set(struct pt_engine *pt, pt_waiting *waiting, void *context);

/* --- the hooks of vmx/: each CPU calls them for its own engine --- */

/* First thing after a VM exit: clear TraceEn, where the exit itself has not (pt.switch=list, vmcs). */
void pt_exit(struct pt_engine *pt);

/* Last thing before VM entry: make up for PMIs that were lost, let the sink work, stall if no region is free, make sure
 * that LVTPC is ours. An uneventful exit costs a look at LVTPC and at the TSC and a WRMSR.
 * Returns IA32_RTIT_CTL as the guest must have it. With PT_SWITCH_ROOT the MSR has this value already; else it is still
 * without TraceEn, and the VM entry has to load it. */
uint64_t pt_enter(struct pt_engine *pt);

/* pt/pmi.c, the PMI handler: an NMI has arrived (an NMI exit, or counted by the root NMI handler). A ToPA PMI is
 * acknowledged and served: filled regions are handed over, STOP moves on; LVTPC, which its delivery has masked, is
 * unmasked. true: LVTPC has delivered this NMI, for PT or for a counter of the guest's. false: it is the guest's.
 * Call between pt_exit and pt_enter. */
bool pt_pmi_serve(struct pt_engine *pt);

/* The guest's CR3 is this value, or is about to be. Where pt.cr3= names two, IA32_RTIT_CR3_MATCH takes the one of them
 * that this is; true: so each load of CR3 must be passed here. Call between pt_exit and pt_enter. */
bool pt_cr3(struct pt_engine *pt, uint64_t cr3);

/* The guest has come to the address of pt.trigger=: the flight recorder sends what it has kept; or of pt.start=: the
 * trace begins. On the CPU that came there, and on each other one as soon as it can. Call between pt_exit and pt_enter.
 */
void pt_trigger(struct pt_engine *pt);

/* The CPU is about to wait for a SIPI. Takes as long as reading three MSRs: what it has written can be known to others
 * from here on, and is handed over later. Until pt_unpark, pt_enter returns 0 and does nothing; another CPU, one at a
 * time, may call pt_trigger, pt_flush_begin and pt_flush_end for this one. Call between pt_exit and pt_enter. */
void pt_park(struct pt_engine *pt);

/* The SIPI has come: tracing goes on at the next pt_enter, without a gap. Commands that came meanwhile hold. */
void pt_unpark(struct pt_engine *pt);

/* --- soft PT: vmx/soft_step.c --- */

/* Does the VM entry that pt_enter has prepared single-step the guest? guarded: its page is one of pt_soft_guards. */
bool pt_soft_steps(const struct pt_engine *pt, bool guarded, uint64_t cr3);

/* May code at these addresses, both included, be executed by steps alone? By whom it can be executed: soft_pt_guards.
 */
bool pt_soft_guards(const struct pt_engine *pt, uint64_t first, uint64_t last, bool kernel, bool user);

/* Is less than all traced: then a number that changes where something else is from now on. 0: all is, or, until a
 * command or a SIPI, nothing. Other CPUs may ask: a moment's value. */
uint32_t pt_soft_window(const struct pt_engine *pt);

/* Between pt_enter and the VM entry: the guest is there. */
void pt_soft_before(struct pt_engine *pt, const struct soft_place *at);

/* Behind the exit, before all else: the instruction there has been executed, or an event delivered instead. */
void pt_soft_executed(struct pt_engine *pt, const struct instruction *instruction, const struct soft_place *to);
void pt_soft_delivered(struct pt_engine *pt, const struct soft_place *to);

/* Is anything under way that time alone brings on: bytes to the receiver, the end of a pause, a scheme without PMIs?
 * Then pt_enter should be called some 10 ms later at the latest, else some 100 ms. */
bool pt_busy(const struct pt_engine *pt);

/* Send a record, stamped with this CPU's trace offset and the TSC. Call between pt_exit and pt_enter. head and body are
 * put behind one another; body may be NULL. */
void pt_record(struct pt_engine *pt, enum record_kind kind, const void *head, uint32_t head_size, const void *body,
               uint32_t body_size);

/* Bytes that this CPU has written up to now, 0 where it is not traced. Call between pt_exit and pt_enter. */
uint64_t pt_offset(struct pt_engine *pt);

/* From here on this CPU runs what the code pages up to and with this number say (RECORD_SEEN). Call between pt_exit and
 * pt_enter. */
void pt_seen(struct pt_engine *pt, uint64_t number);

/* Before the machine goes down, in three steps. Call between pt_exit and pt_enter; tracing goes on afterwards if
 * pt_enter is called.
 *
 * Each CPU for itself: hand over all that was written, report a pause that is not over. */
void pt_flush_begin(struct pt_engine *pt);

/* Then: send RECORD_END with the totals (text from exits: lines "name value" that vmx/ supplies, may be NULL). Another
 * CPU may do it for one that has handed over everything and does nothing meanwhile: no register is touched. */
void pt_flush_end(struct pt_engine *pt, const char *exits_text, uint32_t exits_size);

/* One CPU, with its own engine: wait until all that all CPUs have handed over is delivered. Before its pt_flush_end,
 * commands that came meanwhile are answered; behind it, a receiver that does not answer is worth a log_panic. */
void pt_flush_wait(struct pt_engine *pt);

/* The machine has not gone down after all, or wakes: the receiver, which has the end, may be gone, and the guest must
 * not wait for it as long as for one that is expected (serial/wire/sink_cut.h). */
void pt_flush_over(struct pt_engine *pt);

#endif
