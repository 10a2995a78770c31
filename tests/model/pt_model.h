/*
 * The PT model: Intel Processor Trace of one emulated CPU, as a member of Bochs's BX_CPU_C.
 *
 * This header is part of every file of the emulator's CPU (through instrument.h), before BX_CPU_C is known. What runs
 * at each near branch is inline here and touches only the first fields; everything else is a call, made when hot says
 * so.
 *
 * Source: SDM Vol. 3C, "Intel Processor Trace"; section and table numbers are those of the edition in docs/sources.md.
 */
#ifndef PT_MODEL_H
#define PT_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "decode/truth.h"
#include "pt/output/topa.h"
#include "pt/packet/packet.h"
#include "pt_pmu.h"
#include "pt_slow.h"

class BX_CPU_C;

/* struct ptm_cpu.hot: why a branch matters to the model. 0: it does not. */
#define PTM_HOT_TRUTH 0x1u   /* non-root operation, and a truth file is written */
#define PTM_HOT_LIST 0x2u    /* and a branch list */
#define PTM_HOT_BRANCH 0x4u  /* PacketEn and BranchEn: packets for branches */
#define PTM_HOT_TRIGGER 0x8u /* TriggerEn: far transfers may switch PacketEn on */
#define PTM_HOT_SLOW 0x10u   /* packets for branches go by pt_slow.h */
#define PTM_HOT_RANGES 0x20u /* IP ranges are in use: branches may switch PacketEn on and off */

#define PTM_RETSTACK_SIZE 64u /* 36.4.2.2, "Indirect Transfer Compression for Returns" */
#define PTM_TNT_EMPTY 1u      /* a stop bit above no branch */
#define PTM_TNT_FULL 0x40u    /* six branches */
#define PTM_NR_RANGES 4u
#define PTM_SIPI 0x100u

/* IA32_RTIT_* */
struct ptm_msrs {
    uint64_t ctl;
    uint64_t status;      /* Error and Stopped; the rest is made up when read */
    uint64_t output_base; /* stale while TraceEn = 1 */
    uint64_t output_mask_ptrs;
    uint64_t cr3_match;
    uint64_t addr[2 * PTM_NR_RANGES];
};

/* A ToPA PMI on its way, and a ToPA entry that was read before its turn. */
struct ptm_pmi {
    uint64_t at; /* trace offset */
    bool second; /* the configuration's second PMI: no region was filled */
};
struct ptm_table_entry {
    uint64_t pa, entry;
};
#define PTM_MAX_PMIS 8u
#define PTM_MAX_AHEAD 64u

/* For pt_speculation.cc */
struct ptm_speculation {
    bool used; /* root has written one of the MSRs */
    bool exited, flushed, ibrs;
    uint64_t exit_icount, guest_spec_ctrl;
};

struct ptm_cpu {
    /* Touched by every branch. */
    uint32_t hot;
    uint64_t tnt;       /* branches not yet written, below a stop bit */
    uint8_t *out;       /* where the next byte goes, in the emulator's own memory */
    uint8_t *out_limit; /* bytes before it need no further thought */
    uint64_t hash;      /* of the interval, decode/truth.h */
    uint64_t branches;  /* in the interval */
    uint64_t last_to;
    bool return_compression;
    uint32_t retstack_depth; /* valid entries, at most PTM_RETSTACK_SIZE */
    uint32_t retstack_next;
    uint64_t retstack[PTM_RETSTACK_SIZE];

    /* The enables, 36.2.5 */
    bool trigger_en, context_en, filter_en, packet_en;

    /* Packets */
    uint64_t last_ip;
    bool mode_known;     /* a MODE.Exec was sent since the last PSB */
    uint8_t mode_sent;   /* its two bits */
    bool cr3_changed;    /* by the task switch that is under way */
    bool task_committed; /* it is past its commit point: event_ip is where it started */
    bool psb_wanted;     /* the threshold was passed */

    /* An event on its way through the IDT, a VM exit or an SMI: where it hit. */
    uint64_t event_ip;
    uint64_t source_base; /* of its code segment, ptm_ip_base */
    uint64_t exit_ip;
    uint64_t entry_ip;      /* of VMLAUNCH, VMRESUME */
    bool exit_has_ip;       /* false: a VM entry that failed */
    bool in_vmx_transition; /* MSR lists are being loaded */
    bool in_vm_entry;       /* of a VM entry */
    bool in_vm_exit;        /* of a VM exit */
    bool ctl_deferred;      /* one of them held IA32_RTIT_CTL */
    uint64_t deferred_ctl;
    bool smm_trace_en; /* TraceEn to be restored by RSM */
    bool in_init;

    /* Output */
    struct ptm_msrs msr;
    struct ptm_pmu pmu;
    struct ptm_speculation speculation;
    struct topa_walk walk;
    bool output_on;
    uint8_t *window; /* what out points into: the rest of a page of guest memory */
    uint8_t *window_end;
    uint64_t window_offset; /* trace offset of its first byte */
    uint64_t next_psb;      /* trace offset */
    bool pmi_waiting;
    uint64_t pmi_at; /* trace offset of the first that waits */
    struct ptm_pmi pmis[PTM_MAX_PMIS];
    uint32_t nr_pmis;
    int late_timer;    /* 0: none yet */
    int counter_timer; /* the same */
    bool late_waits;
    uint32_t sipi;         /* PTM_SIPI and the vector: it ends wait-for-SIPI, with a VM exit */
    uint64_t halt_icount;  /* of the instruction after HLT, or after a VM entry into this state */
    bool output_gpa;       /* addresses are guest-physical */
    uint64_t early_int_at; /* trace offset of a single-region part's early PMI */
    struct ptm_table_entry ahead[PTM_MAX_AHEAD];
    uint32_t nr_ahead;
    uint8_t nowhere[4096]; /* takes the bytes that go to no memory */

    struct ptm_slow slow;

    /* Totals for the truth file */
    bool entered;          /* a VM entry was seen */
    uint64_t world_icount; /* instructions retired at the last VM entry or exit */
    uint64_t non_root_instructions, root_instructions;
    uint64_t not_retired; /* what Bochs counts in this world since then, and did not retire */
    bool in_exception;    /* exception() is under way: it counts the instruction that it ends */
    bool hw_interrupt;    /* an interrupt or NMI is being delivered */
    uint64_t rep_icount;  /* the last iteration of a REP instruction: each counts */
    uint64_t rep_rip;
    uint64_t branches_total; /* of closed intervals */
    uint64_t topa_pmis, psbs;
    uint64_t vm_exits[TRUTH_NR_EXIT_REASONS];
};

/* --- pt_branches.cc: what the inline part calls ----------------------------------------------------------------- */

/* Write the full TNT buffer; ip is where the last branch went. */
void ptm_tnt_full(BX_CPU_C *cpu, uint64_t ip);
/* A near indirect jump or call, or an uncompressed return, went to ip. */
void ptm_indirect(BX_CPU_C *cpu, uint64_t ip);
void ptm_uncompressed_return(BX_CPU_C *cpu, uint64_t ip);
/* PTM_HOT_SLOW: a conditional branch or a compressed return went to ip. */
void ptm_slow_tnt(BX_CPU_C *cpu, uint64_t ip, bool taken);
void ptm_list_branch(BX_CPU_C *cpu, uint64_t from, uint64_t to);

/* --- pt_ranges.cc ----------------------------------------------------------------------------------------------- */

enum ptm_near {
    PTM_NEAR_NOT_TAKEN,
    PTM_NEAR_TAKEN,
    PTM_NEAR_JUMP,
    PTM_NEAR_JUMP_INDIRECT,
    PTM_NEAR_CALL,
    PTM_NEAR_CALL_INDIRECT,
    PTM_NEAR_RETURN
};

/* Any near branch while PTM_HOT_RANGES. next: the address after a call. */
void ptm_near_in_ranges(BX_CPU_C *cpu, enum ptm_near kind, uint64_t from, uint64_t next, uint64_t to);

/* --- pt_events.cc ----------------------------------------------------------------------------------------------- */

/* A far transfer instruction (but INT n) retired: the state is the target's. from: its linear address. */
void ptm_far_branch(BX_CPU_C *cpu, uint64_t from);
/* Delivery through the IDT starts; ip is what a FUP reports. And: it is complete. */
void ptm_event_begin(BX_CPU_C *cpu, uint64_t ip);
void ptm_event_done(BX_CPU_C *cpu);
void ptm_hw_interrupt_done(BX_CPU_C *cpu);
void ptm_mov_cr3(BX_CPU_C *cpu);
void ptm_task_commits(BX_CPU_C *cpu, bool by_event);
void ptm_task_switch_cr3(BX_CPU_C *cpu);
void ptm_smi(BX_CPU_C *cpu);
void ptm_rsm(BX_CPU_C *cpu);
/* INIT arrives; and: the CPU's state is the one after INIT. */
void ptm_init_begin(BX_CPU_C *cpu);
void ptm_init_done(BX_CPU_C *cpu);
void ptm_sipi(BX_CPU_C *cpu);
/* In VMX non-root operation, a SIPI came. */
void ptm_sipi_exit(BX_CPU_C *cpu);
/* An INIT that comes now has an effect, or will have one. */
bool ptm_init_kept(const BX_CPU_C *cpu);
/* An NMI is about to become pending: counted, and whether it merges with one that is. */
void ptm_nmi_arrives(const BX_CPU_C *cpu);

/* --- pt_transitions.cc ------------------------------------------------------------------------------------------ */

void ptm_context_switch(BX_CPU_C *cpu);
void ptm_vmexit_begin(BX_CPU_C *cpu, uint32_t reason, uint64_t ip);
void ptm_vmexit_done(BX_CPU_C *cpu);
void ptm_vmentry(BX_CPU_C *cpu);
void ptm_vmfail(BX_CPU_C *cpu, uint32_t error);
void ptm_vmentry_failed(BX_CPU_C *cpu);
void ptm_vmptrld(BX_CPU_C *cpu);
void ptm_vmxon(BX_CPU_C *cpu);

/* --- pt_msrs.cc ------------------------------------------------------------------------------------------------- */

enum ptm_access { PTM_NOT_MINE = -1, PTM_FAULT = 0, PTM_DONE = 1 };
enum ptm_access ptm_rdmsr(BX_CPU_C *cpu, uint32_t index, uint64_t *value);
enum ptm_access ptm_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value);
enum ptm_access ptm_rdpmc(BX_CPU_C *cpu, uint32_t selector, uint64_t *value);

/* --- pt_vmx.cc -------------------------------------------------------------------------------------------------- */

/* The checks of a VM entry that the "load IA32_RTIT_CTL" and "Intel PT uses guest physical addresses" controls add. */
bool ptm_vmentry_controls_valid(BX_CPU_C *cpu);
bool ptm_vmentry_guest_valid(BX_CPU_C *cpu);

/* --- pt_config.cc ----------------------------------------------------------------------------------------------- */

void ptm_env_init(void);
void ptm_env_exit(void);
void ptm_cpu_init(BX_CPU_C *cpu);
void ptm_cpu_reset(BX_CPU_C *cpu, unsigned type);
struct cpuid_function_t;
void ptm_cpuid(BX_CPU_C *cpu, uint32_t leaf, uint32_t subleaf, struct cpuid_function_t *regs);
unsigned ptm_random_seed(void);
uint64_t ptm_tsc_skew(unsigned cpu); /* ticks by which a CPU's TSC is ahead of CPU 0's after reset, modulo 2^64 */

/* --- dmar_unit.cc ----------------------------------------------------------------------------------------------- */

bool ptm_dmar_deliver(uint32_t high, uint32_t low, uint8_t vector);
bool ptm_dmar_blocks_dma(void);

/* --- pt_timing.cc ----------------------------------------------------------------------------------------------- */

void ptm_halt(BX_CPU_C *cpu);

/* --- pt_truth.cc ------------------------------------------------------------------------------------------------ */

/* An event or a VM exit comes: if it left a REP instruction in the middle, that did not retire. */
void ptm_truth_interrupted(BX_CPU_C *cpu);

#ifdef PTM_ROOT_COUNTS
void ptm_root_instruction(uint64_t rip);
void ptm_root_counts_write(const char *truth_path);
#endif

/* --- inline ----------------------------------------------------------------------------------------------------- */

/* Bochs counts each iteration of a REP instruction; icount and rip are those at one. */
static inline void ptm_rep_iteration(struct ptm_cpu *p, uint64_t icount, uint64_t rip)
{
    if (icount == p->rep_icount + 1 && rip == p->rep_rip)
        p->not_retired++;
    p->rep_icount = icount;
    p->rep_rip = rip;
}

static inline void ptm_count_branch(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t from, uint64_t to)
{
    p->hash = truth_hash(p->hash, from, to);
    p->branches++;
    p->last_to = to;
    if (__builtin_expect(p->hot & PTM_HOT_LIST, 0))
        ptm_list_branch(cpu, from, to);
}

static inline void ptm_tnt(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t to, bool taken)
{
    if (__builtin_expect(p->hot & PTM_HOT_SLOW, 0)) {
        ptm_slow_tnt(cpu, to, taken);
        return;
    }
    p->tnt = p->tnt << 1 | (taken ? 1 : 0);
    if (p->tnt < PTM_TNT_FULL)
        return;
    if (__builtin_expect(p->out < p->out_limit, 1)) {
        *p->out++ = (uint8_t)(p->tnt << 1);
        p->tnt = PTM_TNT_EMPTY;
    } else {
        ptm_tnt_full(cpu, to);
    }
}

/* Jcc, JrCXZ, LOOPcc */
static inline void ptm_conditional(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t from, uint64_t to, bool taken)
{
    if (__builtin_expect(p->hot & PTM_HOT_RANGES, 0)) {
        ptm_near_in_ranges(cpu, taken ? PTM_NEAR_TAKEN : PTM_NEAR_NOT_TAKEN, from, 0, to);
        return;
    }
    if (p->hot & PTM_HOT_TRUTH)
        ptm_count_branch(cpu, p, from, to);
    if (p->hot & PTM_HOT_BRANCH)
        ptm_tnt(cpu, p, to, taken);
}

static inline void ptm_jump(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t from, uint64_t to, bool indirect)
{
    if (__builtin_expect(p->hot & PTM_HOT_RANGES, 0)) {
        ptm_near_in_ranges(cpu, indirect ? PTM_NEAR_JUMP_INDIRECT : PTM_NEAR_JUMP, from, 0, to);
        return;
    }
    if (p->hot & PTM_HOT_TRUTH)
        ptm_count_branch(cpu, p, from, to);
    if (indirect && (p->hot & PTM_HOT_BRANCH))
        ptm_indirect(cpu, to);
}

/* 36.4.2.2: calls to the next instruction do not count. */
static inline void ptm_call_packets(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t next, uint64_t to, bool indirect)
{
    if (p->return_compression && (indirect || to != next)) {
        p->retstack[p->retstack_next] = next;
        p->retstack_next = (p->retstack_next + 1) % PTM_RETSTACK_SIZE;
        if (p->retstack_depth < PTM_RETSTACK_SIZE)
            p->retstack_depth++;
    }
    if (indirect)
        ptm_indirect(cpu, to);
}

static inline void ptm_call(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t from, uint64_t next, uint64_t to, bool indirect)
{
    if (__builtin_expect(p->hot & PTM_HOT_RANGES, 0)) {
        ptm_near_in_ranges(cpu, indirect ? PTM_NEAR_CALL_INDIRECT : PTM_NEAR_CALL, from, next, to);
        return;
    }
    if (p->hot & PTM_HOT_TRUTH)
        ptm_count_branch(cpu, p, from, to);
    if (p->hot & PTM_HOT_BRANCH)
        ptm_call_packets(cpu, p, next, to, indirect);
}

/*
 * 36.4.2.2: a return to where the youngest call says is one taken TNT bit. A return that goes elsewhere empties our
 * stack: decoders differ in whether it takes an entry off theirs, and the processor is free not to compress.
 */
static inline bool ptm_return_compressed(struct ptm_cpu *p, uint64_t to)
{
    if (p->retstack_depth == 0)
        return false;
    uint32_t top = (p->retstack_next - 1) % PTM_RETSTACK_SIZE;
    if (p->retstack[top] != to) {
        p->retstack_depth = 0;
        return false;
    }
    p->retstack_next = top;
    p->retstack_depth--;
    return true;
}

static inline void ptm_return_packets(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t to)
{
    if (ptm_return_compressed(p, to))
        ptm_tnt(cpu, p, to, true);
    else
        ptm_uncompressed_return(cpu, to);
}

static inline void ptm_return(BX_CPU_C *cpu, struct ptm_cpu *p, uint64_t from, uint64_t to)
{
    if (__builtin_expect(p->hot & PTM_HOT_RANGES, 0)) {
        ptm_near_in_ranges(cpu, PTM_NEAR_RETURN, from, 0, to);
        return;
    }
    if (p->hot & PTM_HOT_TRUTH)
        ptm_count_branch(cpu, p, from, to);
    if (p->hot & PTM_HOT_BRANCH)
        ptm_return_packets(cpu, p, to);
}

#endif
