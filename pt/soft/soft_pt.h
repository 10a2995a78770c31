/*
 * Intel PT in software, for CPUs that have none: the registers, the packets and the ToPA output of one CPU.
 *
 * vmx/ has the guest single-stepped and says what each instruction has done; the packets are those that the manual's
 * table has for it, and are written through the tables as a processor does it. What stands behind cannot tell: drains,
 * the region ring, records and decoders work as with the processor's own PT (pt.switch=vmcs, where no instruction of
 * root is traced).
 *
 * One thing differs: TraceEn, cleared behind each exit and set again before each entry, does not start and end the
 * trace each time. It ends, with FUP and TIP.PGD, where the registers are read, and starts again at the next step.
 *
 * Core. Source: SDM "Trace Filtering" (36.2.4), "Packet Generation Enable Controls" (36.2.5), "Trace Output" (36.2.6),
 * Table "Packet Generation under Different Enable Conditions"; docs/model-rows.md has its rows.
 */
#ifndef PT_SOFT_SOFT_PT_H
#define PT_SOFT_SOFT_PT_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/caps.h"
#include "pt/instruction/instruction.h"
#include "pt/output/topa.h"
#include "pt/packet/packet.h"

/* Where the guest stands. ip: linear, the code segment's base included. */
struct soft_context {
    uint64_t ip, cr3;
    bool user; /* CPL is not 0 */
    bool cs_l, cs_d;
};

/* Memory that the tables lead to, or that they are in. */
struct soft_memory {
    uint8_t *va;
    uint64_t pa;
};

#define SOFT_RETURNS 64u /* "RET Compression" (36.4.2.2) */

struct soft_pt {
    /* As IA32_RTIT_*; PacketByteCnt is packet_bytes, and the output pointers are walk's. */
    uint64_t ctl, status, cr3_match;
    uint64_t addr[2 * PT_MAX_RANGES];
    uint32_t packet_bytes;

    struct soft_memory regions, tables;
    struct topa_walk walk;
    bool walk_loaded;
    bool pmi; /* a ToPA PMI: taken by whoever serves it */

    uint64_t branches_left; /* until it stops as in a TraceStop range; 0: it does not */

    bool running; /* TraceEn, as the packets have it */
    bool context_en, filter_en;
    bool mode_known, sent_l, sent_d; /* MODE.Exec */
    struct soft_context at;
    uint64_t tsc; /* now */
    uint64_t last_ip;
    uint32_t tnt, nr_tnt; /* bits that wait, the oldest the highest */
    uint64_t returns[SOFT_RETURNS];
    uint32_t nr_returns, next_return; /* a ring: more calls push the oldest out */
};

/* CPUID's leaves 7, 14H and 15H as a CPU with this unit would have them, VMX's own bit among them. */
void soft_pt_cpuid(struct pt_cpuid *cpuid);

/* IA32_RTIT_*. Written as the manual allows it: with TraceEn clear, but for CTL. */
uint64_t soft_pt_read(const struct soft_pt *pt, uint32_t msr);
void soft_pt_write(struct soft_pt *pt, uint32_t msr, uint64_t value);

/* Is less than all traced, so that the guest runs at full speed elsewhere? */
bool soft_pt_has_window(const struct soft_pt *pt);

/* May code between these addresses be traced: does it lie in a range; or, where there is none, and the kernel or user
 * mode alone is traced, is it that which can execute it? It must not be executed but by steps then. */
bool soft_pt_guards(const struct soft_pt *pt, uint64_t first, uint64_t last, bool kernel, bool user);

/* Has the trace come to an end, until the registers are written anew? */
bool soft_pt_halted(const struct soft_pt *pt);

/* Must the guest's next instruction be stepped? guarded: it lies on a page that soft_pt_guards has named. Where neither
 * it nor what follows it can be traced, the guest may run on. */
bool soft_pt_must_step(const struct soft_pt *pt, bool guarded, uint64_t cr3);

/* Before an instruction: the guest stands here. What starts the trace is written, where TraceEn is set. */
void soft_pt_step_begin(struct soft_pt *pt, const struct soft_context *at);

/* The instruction at pt->at has been executed, and led there. */
void soft_pt_executed(struct soft_pt *pt, const struct instruction *instruction, const struct soft_context *to);

/* An event has been delivered there, instead of the instruction at pt->at: an interrupt, or an exception. */
void soft_pt_delivered(struct soft_pt *pt, const struct soft_context *to);

/* The registers are about to be read: all that has been traced is written. */
void soft_pt_trace_off(struct soft_pt *pt);

/* pt/soft/registers.c: write a packet's bytes. Nothing, once output has stopped. */
void soft_pt_output(struct soft_pt *pt, const uint8_t *bytes, uint32_t nr);

#endif
