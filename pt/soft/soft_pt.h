/*
 * Intel PT in software, for CPUs that have none: the registers, the packets and the ToPA output of one CPU.
 *
 * vmx/soft/ single-steps the guest and reports what each instruction has done. The packets are those that the manual's
 * table prescribes for it, and are written through the ToPA tables as a processor does. Drains, the region ring,
 * records and decoders work as with the processor's own PT (pt.switch=vmcs, where no instruction of root mode is
 * traced).
 *
 * One thing differs: clearing TraceEn after each exit and setting it before each entry does not end and start the trace
 * each time. The trace ends, with FUP and TIP.PGD, when the registers are read, and starts again at the next step.
 *
 * Source: SDM "Trace Filtering" (36.2.4), "Packet Generation Enable Controls" (36.2.5), "Trace Output" (36.2.6),
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

/* The guest's state at an instruction. ip: linear, CS.base included. */
struct soft_context {
    uint64_t ip, cr3;
    bool user; /* CPL is not 0 */
    bool cs_l, cs_d;
};

/* The memory of the regions, or of the tables. */
struct soft_memory {
    uint8_t *va;
    uint64_t pa;
};

#define SOFT_RETURNS 64u /* "RET Compression" (36.4.2.2) */

struct soft_pt {
    /* registers.c. As IA32_RTIT_*; PacketByteCnt is in packet_bytes, and the output pointers are in walk. pt/engine.c
     * writes ctl as well. */
    uint64_t ctl, status, cr3_match;
    uint64_t addr[2 * PT_MAX_RANGES];
    uint32_t packet_bytes;

    struct soft_memory regions, tables;
    struct topa_walk walk;
    bool walk_loaded;
    bool pmi; /* a ToPA PMI is pending; pt/drain.c clears it */

    uint64_t branches_left; /* flow.c, pt/setup.c: until the trace ends as in a TraceStop range; 0: it does not */

    bool running;                    /* flow.c: the packets have TraceEn set */
    bool context_en, filter_en;      /* enables.c */
    bool mode_known, sent_l, sent_d; /* packets.c: the last MODE.Exec */
    struct soft_context at;          /* enables.c, flow.c: before the current step */
    uint64_t tsc;                    /* pt/soft_hooks.c: of the current step */
    uint64_t last_ip;                /* packets.c */
    uint32_t tnt, nr_tnt;            /* packets.c: bits not written yet, the oldest is the highest */
    uint64_t returns[SOFT_RETURNS];
    uint32_t nr_returns, next_return; /* flow.c: a ring, further calls overwrite the oldest */
};

/* Set CPUID leaves 7, 14H and 15H and IA32_VMX_MISC[14] as on a CPU whose PT has soft PT's features. */
void soft_pt_cpuid(struct pt_cpuid *cpuid);

/* IA32_RTIT_*. As in the manual, all but CTL may only be written with TraceEn clear. */
uint64_t soft_pt_read(const struct soft_pt *pt, uint32_t msr);
void soft_pt_write(struct soft_pt *pt, uint32_t msr, uint64_t value);

/* Is only a part of the code traced, so that the guest runs at full speed elsewhere? */
bool soft_pt_has_window(const struct soft_pt *pt);

/* May code at the linear addresses first to last be traced, so that it must be executed only by steps? It may if it is
 * in a range; or, without ranges and if only the kernel or only user mode is traced, if that one can execute it
 * (kernel, user). */
bool soft_pt_guards(const struct soft_pt *pt, uint64_t first, uint64_t last, bool kernel, bool user);

/* Has the trace ended, until the registers are written again? */
bool soft_pt_halted(const struct soft_pt *pt);

/* Must the guest's next instruction be stepped? guarded: it is on a page for which soft_pt_guards returned true. false:
 * neither it nor what follows can be traced. */
bool soft_pt_must_step(const struct soft_pt *pt, bool guarded, uint64_t cr3);

/* Before an instruction: the guest's state. If TraceEn is set, writes the packets that start the trace. */
void soft_pt_step_begin(struct soft_pt *pt, const struct soft_context *at);

/* The instruction at pt->at has been executed; to: the state after it. */
void soft_pt_executed(struct soft_pt *pt, const struct instruction *instruction, const struct soft_context *to);

/* An interrupt or an exception has been delivered instead of the instruction at pt->at; to: the state after it. */
void soft_pt_delivered(struct soft_pt *pt, const struct soft_context *to);

/* The registers are about to be read: write all packets, and end the trace until the next step. */
void soft_pt_trace_off(struct soft_pt *pt);

/* pt/soft/registers.c: write a packet's bytes, unless output has stopped. */
void soft_pt_output(struct soft_pt *pt, const uint8_t *bytes, uint32_t nr);

#endif
