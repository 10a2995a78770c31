/*
 * The PT engine: Intel PT on one CPU, from configuration to the last byte.
 *
 * boot/ calls pt_engine_init. vmx/ calls the hooks below, and pt/lvtpc.h. The decisions are made by core files:
 * pt/caps.c and pt/output/.
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

/* Read the values that pt_options_resolve checks, on this CPU. */
void pt_cpuid_read(struct pt_cpuid *cpuid);

/* Set PT up on this CPU. memory: PT_ENGINE_SIZE bytes, page-aligned, in the direct map at memory_pa.
 * If config is NULL, config->enabled is false, pt_options_resolve refuses config or the regions do not fit it, tracing
 * stays off and records still go to the sink: pt_engine_tracing says which. */
struct pt_engine *pt_engine_init(void *memory, uint64_t memory_pa, uint16_t cpu, const struct pt_options *config,
                                 struct pt_region_memory regions, struct sink *sink);

/* Will pt_enter set TraceEn? *rtit_ctl, unless NULL, receives the value of IA32_RTIT_CTL with it. */
bool pt_engine_tracing(const struct pt_engine *pt, uint64_t *rtit_ctl);

/* Parses the options of a command, such as "pt.user=off policy=drop"; boot/ provides the parser of the command line.
 * false: why, of size bytes, names the wrong word. Only options that can change while the guest runs are accepted. */
typedef bool pt_options_parser(struct pt_options *config, const char *text, char *why, size_t size);
void pt_options_parser_set(struct pt_engine *pt, pt_options_parser *parser);

/* Before tracing: its stream begins at this offset, a multiple of the regions' memory. A gap record says so. */
void pt_begin_at(struct pt_engine *pt, uint64_t offset);

/* Called repeatedly while pt_enter makes the guest wait (policy=stall), so that the CPU can serve requests of other
 * CPUs. It may call pt_flush_begin, pt_flush_end and pt_trigger of this engine. */
typedef void pt_stall_callback(void *context);
void pt_stall_callback_set(struct pt_engine *pt, pt_stall_callback *callback, void *context);

/* --- the hooks of vmx/: each CPU calls them for its own engine --- */

/* First after a VM exit: clear TraceEn, unless the exit has done that (pt.switch=list or vmcs). */
void pt_exit(struct pt_engine *pt);

/* Last before VM entry: make up for lost PMIs, let the sink work, wait if no region is free and policy=stall, repair
 * LVTPC. An exit without work costs a read of LVTPC, a read of the TSC and a WRMSR.
 * Returns the value of IA32_RTIT_CTL that the guest must run with. With PT_SWITCH_ROOT the MSR already has it;
 * otherwise the MSR has TraceEn clear and the VM entry must load it. */
uint64_t pt_enter(struct pt_engine *pt);

/* pt/pmi.c, the PMI handler: an NMI has arrived, as an NMI exit or counted by the NMI handler of root operation. If it
 * is a ToPA PMI: acknowledge it, submit the filled regions, move STOP; unmask LVTPC, which its delivery has masked.
 * true: LVTPC has delivered this NMI, for PT or for a counter of the guest. false: the NMI belongs to the guest.
 * Call between pt_exit and pt_enter. */
bool pt_pmi_serve(struct pt_engine *pt);

/* The guest is about to load this value into CR3, or has it. If pt.cr3= names two values and this is one of them, it is
 * written to IA32_RTIT_CR3_MATCH. true: every load of CR3 must be reported here. Call between pt_exit and pt_enter. */
bool pt_cr3(struct pt_engine *pt, uint64_t cr3);

/* The guest has reached the address of pt.trigger=: the flight recorder sends what it has kept; or that of pt.start=:
 * the trace begins. Call it on the CPU that reached the address, and on each other CPU as soon as possible, between
 * pt_exit and pt_enter. */
void pt_trigger(struct pt_engine *pt);

/* The CPU is about to wait for a SIPI. Reads the output registers and no more, so that others can know how much it has
 * written; the bytes are submitted later. Until pt_unpark, pt_enter returns 0 and does nothing, and another CPU, one at
 * a time, may call pt_trigger, pt_flush_parked, pt_flush_begin and pt_flush_end for this one. Call between pt_exit and
 * pt_enter. */
void pt_park(struct pt_engine *pt);

/* The SIPI has arrived: tracing resumes at the next pt_enter, without a gap. Commands that came meanwhile take effect.
 */
void pt_unpark(struct pt_engine *pt);

/* --- soft PT: vmx/soft/ --- */

/* Must the VM entry that pt_enter has prepared single-step the guest? guarded: the guest is on a page for which
 * pt_soft_guards returned true. */
bool pt_soft_steps(const struct pt_engine *pt, bool guarded, uint64_t cr3);

/* Must code at the linear addresses first to last, inclusive, be executed only by single steps? kernel, user: the
 * privilege levels that can execute it. */
bool pt_soft_guards(const struct pt_engine *pt, uint64_t first, uint64_t last, bool kernel, bool user);

/* If only a part of the code is traced, a number that changes whenever another part is selected; 0 if everything is
 * traced, or nothing is until a command or a SIPI. Other CPUs may call it, and may get an outdated value. */
uint32_t pt_soft_window(const struct pt_engine *pt);

/* Between pt_enter and the VM entry: the guest's state before the step. */
void pt_soft_step_begin(struct pt_engine *pt, const struct soft_context *at);

/* First after the exit: the step has executed this instruction, or delivered an event instead. */
void pt_soft_executed(struct pt_engine *pt, const struct instruction *instruction, const struct soft_context *to);
void pt_soft_delivered(struct pt_engine *pt, const struct soft_context *to);

/* --- time, records, the end --- */

/* pt.flush= in TSC ticks: call pt_enter at least twice in this time. UINT64_MAX: off. */
uint64_t pt_flush_tsc(const struct pt_engine *pt);

/* For how many TSC ticks from now on pt_enter need not be called for pt.flush=; 0: it is time. */
uint64_t pt_flush_left(const struct pt_engine *pt);

/* From the next pt_enter on, the following one comes after at most so many TSC ticks: bytes that would be older than
 * pt.flush= by then are sent before. */
void pt_period_set(struct pt_engine *pt, uint64_t tsc);

/* For a CPU that waits for a SIPI, by another one: submit what pt_park found. */
void pt_flush_parked(struct pt_engine *pt);

/* Is anything in progress that needs pt_enter to be called soon: bytes that the receiver has not acknowledged, a pause,
 * a scheme without PMIs? Then call pt_enter at least every 10 ms or so, otherwise every 100 ms. */
bool pt_busy(const struct pt_engine *pt);

/* Send a record, stamped with this CPU's trace offset and the TSC: head followed by body, which may be NULL. Call
 * between pt_exit and pt_enter. */
void pt_record(struct pt_engine *pt, enum record_kind kind, const void *head, uint32_t head_size, const void *body,
               uint32_t body_size);

/* Send a RECORD_CLOCK with these flags. */
void pt_clock_record(struct pt_engine *pt, uint32_t flags);

/* The guest has moved this CPU's TSC ahead by change ticks, modulo 2^64, known within error ticks. Call between pt_exit
 * and pt_enter. */
void pt_clock_moved(struct pt_engine *pt, uint64_t change, uint32_t error);

/* Bytes that this CPU has written up to now, 0 if it is not traced. Call between pt_exit and pt_enter. */
uint64_t pt_offset(struct pt_engine *pt);

/* From here on this CPU executes the code pages up to and including this number (RECORD_SEEN). Call between pt_exit and
 * pt_enter. */
void pt_seen(struct pt_engine *pt, uint64_t number);

/* Before the machine goes down, in three steps, between pt_exit and pt_enter. Tracing continues if pt_enter is called
 * afterwards.
 *
 * 1: each CPU for itself submits everything it has written, and reports a pause that is still on. */
void pt_flush_begin(struct pt_engine *pt);

/* 2: send RECORD_END with the totals. exits_text: lines "name value" that vmx/ supplies, may be NULL. Touches no
 * register, so another CPU may call it for one that has finished step 1 and does nothing meanwhile. */
void pt_flush_end(struct pt_engine *pt, const char *exits_text, uint32_t exits_size);

/* 3: one CPU, with its own engine, waits until everything that all CPUs have submitted is delivered. Before its
 * pt_flush_end it also answers commands that came meanwhile; after it, a receiver that does not answer causes a
 * log_panic. */
void pt_flush_wait(struct pt_engine *pt);

/* The machine did not go down after all, or wakes from sleep. The receiver may be gone, since it got the end of the
 * trace: the guest must not wait for it as long as for one that is expected (serial/wire/sink_cut.h). */
void pt_flush_over(struct pt_engine *pt);

#endif
