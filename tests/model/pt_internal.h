/*
 * What the model's own files share. Includes Bochs's CPU; instrument.h does not need it.
 */
#ifndef PT_INTERNAL_H
#define PT_INTERNAL_H

#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/cpuid.h"
#include "gui/siminterface.h"
#include "pt_model.h"
#include "pt_msrs.h"
#include "pt_profile.h"

/* Which branches the truth has. */
enum ptm_scope {
    PTM_SCOPE_NON_ROOT, /* all that the guest executes, traced or not */
    PTM_SCOPE_GUEST,    /* those of them that PT traces; no target where the trace does not give it */
    PTM_SCOPE_TRACED    /* those that PT traces at both ends, root or not, VM entries and exits among them */
};

struct ptm_config {
    const struct ptm_profile *profile;
    const char *truth_path;    /* NULL: no truth */
    const char *branches_path; /* NULL: no list */
    const char *beat_path;     /* NULL: none */
    enum ptm_scope scope;
    uint64_t first_branch, last_branch; /* which branches go to the list, counted from 0 */
    uint64_t list_from, list_upto;      /* ... and at which addresses, both included */
    uint32_t skid_bytes;                /* from the end of an INT region to the PMI */
    bool second_pmi;                    /* each is followed by one that no region caused */
    uint32_t second_bytes;              /* so many bytes later */
    bool lost_pmis;                     /* those that wait when TraceEn is cleared never come */
    uint32_t late_ticks;                /* it is so much later still, whatever is executed then */
    bool hold_pmis;                     /* bit 55 of IA32_PERF_GLOBAL_STATUS, while set, holds further ones back */
    bool keep_init;                     /* an INIT that comes in wait-for-SIPI waits for the end of that */
    uint32_t ahead;                     /* ToPA entries that are read before their turn */
    uint32_t spoil;                     /* every so many entries that are taken in, one is made wrong; 0: none */
    uint32_t seed;                      /* 0: every skid is skid_bytes; else between 0 and it, by this seed */
    bool deferred_tips;
    bool update_48;       /* of the two IPBytes of six bytes, 100b where it does */
    uint32_t errata;      /* PTM_BDM70... */
    uint32_t pmu_version; /* of architectural performance monitoring; 0: as Bochs has it */
    bool pebs;            /* and PEBS */
    bool leaks;           /* IA32_ARCH_CAPABILITIES is 0 */
    bool times;           /* the list of branches has their times beside it */
    bool vmx_locked;      /* IA32_FEATURE_CONTROL is as firmware leaves it that does not want VMX */
    uint64_t tsc_skew;    /* CPU i's TSC is i times so many ticks ahead, modulo 2^64 */
    uint32_t lose_inits;  /* every so many INITs that arrive in VMX operation, one is lost; 0: none */
    uint32_t x2apic;      /* PTM_X2APIC_...: the mode in which firmware hands the local APICs over */
    bool dmar;            /* there is a DMA-remapping unit */
    uint64_t unplug;      /* the machine loses its power so many ticks after the first VM entry; 0: never */
};
extern struct ptm_config ptm_config;

/* --- pt_apic.cc --- */
enum { PTM_X2APIC_OFF, PTM_X2APIC_ON, PTM_X2APIC_LOCKED, PTM_X2APIC_LOCKED_APS };
/* The BIOS has finished: put all local APICs into x2APIC mode, as firmware of today does. */
void ptm_apic_hand_over(void);
void ptm_apic_cpuid(const BX_CPU_C *cpu, uint32_t leaf, uint32_t subleaf, struct cpuid_function_t *regs);
/* false: another part's. */
bool ptm_apic_rdmsr(const BX_CPU_C *cpu, uint32_t index, uint64_t *value);
/* false: #GP. */
bool ptm_apic_wrmsr(const BX_CPU_C *cpu, uint32_t index, uint64_t value);

/* --- dmar_unit.cc --- */
void ptm_dmar_start(void);
void ptm_dmar_reset(void);
/* What the guest did with the unit: a line for the emulator's log. */
void ptm_dmar_print(FILE *file);

/* --- pt_config.cc --- */
/* The first VM entry of all. */
void ptm_unplug_start(void);

/* --- pt_watch.cc --- */
bool ptm_watch_option(const char *value);
void ptm_watch_start(void);

/* --- pt_output.cc --- */
/* Start at what the output MSRs say. false: an operational error, IA32_RTIT_STATUS.Error is set. */
bool ptm_output_start(BX_CPU_C *cpu);
/* Stop, and bring the output MSRs up to date. */
void ptm_output_stop(BX_CPU_C *cpu);
void ptm_output(BX_CPU_C *cpu, const uint8_t *bytes, size_t nr_bytes);
/* Bytes this CPU's PT has written since reset. */
uint64_t ptm_trace_offset(const struct ptm_cpu *p);
/* Set out_limit after a change to next_psb or pmi_at. */
void ptm_output_limit(struct ptm_cpu *p);

/* Take the output MSRs as the place of the output, which is not on: nothing is read yet. */
void ptm_output_place(struct ptm_cpu *p);

/* --- pt_tables.cc --- */
/* Entry at physical address pa, as topa_walk_load expects it; context is the CPU. */
uint64_t ptm_table_read(void *context, uint64_t pa);
/* The walk is at a new entry: read what follows, as far as the configuration says. */
void ptm_table_ahead(BX_CPU_C *cpu);
/* A fault on purpose: set a reserved bit, in memory, of the entry that is about to be taken in, if one is due. */
void ptm_table_spoil(BX_CPU_C *cpu);

/* --- pt_events.cc --- */
/* How many NMIs arrived, and how many of them merged with one that was pending: a line for the emulator's log. */
/* Of NMIs, and of INITs that were lost on purpose. */
void ptm_nmis_print(FILE *file);
/* Does an INIT that arrives now stay pending until it can take effect? */
bool ptm_init_waits(const BX_CPU_C *cpu);

/* --- pt_pmi.cc --- */
/* A region with INT is full (or nearly so, on a single-region part). */
void ptm_pmi_signal(BX_CPU_C *cpu);
void ptm_pmi_if_due(BX_CPU_C *cpu);
/* Where PMIs came: a line for the emulator's log. */
void ptm_pmi_print(FILE *file);
/* Deliver all that wait. */
void ptm_pmi_flush(BX_CPU_C *cpu);
/* TraceEn is being cleared: those that wait come, are lost, or are kept in IA32_RTIT_STATUS.PendTopaPMI. */
void ptm_pmi_trace_off(BX_CPU_C *cpu);
/* --- pt_pmu.cc --- */
enum ptm_access ptm_pmu_rdmsr(BX_CPU_C *cpu, uint32_t index, uint64_t *value);
enum ptm_access ptm_pmu_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value);
/* A ToPA PMI is due: its bit in the status, and the freezes of IA32_DEBUGCTL. */
void ptm_pmu_topa_pmi(BX_CPU_C *cpu);
void ptm_pmu_freeze(BX_CPU_C *cpu); /* what IA32_DEBUGCTL's freeze bits do at a PMI */
/* The counters, up to now; an overflow of one that shall interrupt is a PMI. Call schedule when what they do changed.
 */
void ptm_counters_update(BX_CPU_C *cpu);
void ptm_counters_schedule(BX_CPU_C *cpu);
void ptm_lvtpc_deliver(BX_CPU_C *cpu); /* a PMI of any cause, as LVTPC says */
void ptm_pmu_vmexit(BX_CPU_C *cpu);
/* VM exits and VM entries load IA32_PERF_GLOBAL_CTRL if the controls say so; VM entries check it. */
void ptm_pmu_vmx_init(BX_CPU_C *cpu);
bool ptm_pmu_vmentry_valid(BX_CPU_C *cpu);
void ptm_pmu_vmx_load(BX_CPU_C *cpu);
/* --- pt_speculation.cc --- */
void ptm_speculation_vmexit(BX_CPU_C *cpu);
void ptm_speculation_vmentry(BX_CPU_C *cpu);
/* true: the value is the model's. */
bool ptm_speculation_rdmsr(uint32_t index, uint64_t *value);
void ptm_speculation_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value);
void ptm_speculation_print(FILE *file);

/* --- pt_pebs.cc --- */
/* A counter has overflowed. false: PEBS does not use it. */
bool ptm_pebs_overflow(BX_CPU_C *cpu, uint32_t counter);
/* Leaf 0AH */
void ptm_pmu_cpuid(struct cpuid_function_t *regs);

/* --- pt_slow.cc --- */
/* Write the branches that wait. Every packet but PAD, TSC, TMA, MTC and CBR comes after them. */
void ptm_tnt_flush(BX_CPU_C *cpu);
void ptm_tnt_drop(struct ptm_cpu *p);
/* true: the TIP is written after the TNT packet that is being filled. */
bool ptm_tip_defer(BX_CPU_C *cpu, uint64_t ip);
void ptm_slow_update(struct ptm_cpu *p);

/* --- pt_timing.cc --- */
/* Core clock cycles since reset. */
uint64_t ptm_cycle(BX_CPU_C *cpu);
/* The TSC as software would read it now. */
uint64_t ptm_tsc(BX_CPU_C *cpu);
/* TSC where it is enabled, with its TMA. */
void ptm_put_tsc(BX_CPU_C *cpu);
void ptm_put_cbr(BX_CPU_C *cpu);
/* The clock goes again. */
void ptm_wake(BX_CPU_C *cpu);
/* TriggerEn was set. */
void ptm_timing_start(BX_CPU_C *cpu);
/* In an overflow: the timing packets that are due by now are lost (36.3.8.2). */
void ptm_timing_lose(BX_CPU_C *cpu);
/* A packet of that kind is about to be written: first what is due. */
void ptm_timing_before(BX_CPU_C *cpu, enum packet_kind kind);

/* --- pt_faults.cc --- */
#define PTM_BDM70 0x1u  /* PSB+ has FUP and MODE.Exec where PacketEn = 0, and before the TIP.PGE of enabling */
#define PTM_SKD022 0x2u /* a VM entry that clears TraceEn writes a FUP before TIP.PGD */
#define PTM_SKL014 0x4u /* TIP.PGD of a direct branch that clears FilterEn has no IP */
/* Values of the configuration's words ovf and errata. */
bool ptm_faults_overflow_option(const char *value);
bool ptm_faults_errata_option(const char *value);
bool ptm_faults_planned(const struct ptm_cpu *p);
/* Find out where the next overflow is, if that is not yet known. */
void ptm_overflow_plan(struct ptm_cpu *p);
/* A branch to ip whose packet is lost. */
void ptm_overflow_branch(BX_CPU_C *cpu, uint64_t ip);
/* The overflow resolves at ip. */
void ptm_overflow_end(BX_CPU_C *cpu, uint64_t ip);
/* A packet of that kind is about to be written. false: it is lost. */
bool ptm_packet_before(BX_CPU_C *cpu, enum packet_kind kind);

/* --- pt_packets.cc --- */
/* Write a packet, or lose it in an overflow; what is due by time comes before it. */
void ptm_put(BX_CPU_C *cpu, const struct packet *packet);
uint8_t ptm_mode(BX_CPU_C *cpu);
/* What is taken from a linear address in the current code segment, or in one of that base, to make an IP payload. */
uint64_t ptm_ip_base(BX_CPU_C *cpu);
uint64_t ptm_ip_payload(uint64_t ip, uint64_t base);
void ptm_put_payload(BX_CPU_C *cpu, enum packet_kind kind, uint64_t payload);
/* The same for a linear address in the current code segment. */
void ptm_put_ip(BX_CPU_C *cpu, enum packet_kind kind, uint64_t ip);
void ptm_put_ip_suppressed(BX_CPU_C *cpu, enum packet_kind kind);
void ptm_put_plain(BX_CPU_C *cpu, enum packet_kind kind); /* no payload */
void ptm_put_pip(BX_CPU_C *cpu, bool vm_entry);
void ptm_put_vmcs(BX_CPU_C *cpu);
/* MODE.Exec, where the decoder does not know the mode, or always. */
void ptm_put_mode(BX_CPU_C *cpu, bool always);
/* PSB+ where one is due; ip is the current IP. */
void ptm_psb_if_due(BX_CPU_C *cpu, uint64_t ip);
void ptm_psb(BX_CPU_C *cpu, uint64_t ip);

/* --- pt_enables.cc --- */
/* The bits of a CR3 that the filter compares and a PIP contains. */
uint64_t ptm_cr3_address(BX_CPU_C *cpu, uint64_t cr3);
/* Work out the enables and hot from the CPU's state and the MSRs. */
void ptm_enables_update(BX_CPU_C *cpu);
/* IA32_RTIT_CTL has a new value; ip: the IP that TIP.PGE or FUP reports. */
void ptm_ctl_set(BX_CPU_C *cpu, uint64_t ctl, uint64_t disable_ip, uint64_t enable_ip);
/* Stopped or Error were set while packets were being written. */
void ptm_trigger_lost(BX_CPU_C *cpu);
/* Linear address of the next instruction. */
uint64_t ptm_current_ip(BX_CPU_C *cpu);

/* --- pt_msrs.cc --- */
/* WRMSR's checks of IA32_RTIT_CTL that the CPU's state has no part in: reserved bits, encodings, the output scheme. */
bool ptm_ctl_bits_valid(uint64_t ctl);

/* --- pt_events.cc --- */
/* What determines a transfer's packets, apart from its target. */
struct ptm_transfer {
    bool is_branch;  /* of those that the truth counts */
    bool has_source; /* asynchronous: a FUP says where it hit */
    bool new_cr3;    /* a PIP */
    bool skd022;     /* a VM entry that has a FUP where it clears TraceEn: the erratum */
    bool is_mov_cr3; /* the IP does not move; TraceStop compares its address */
    bool vm_entry;
    uint64_t source;
};
/* The packets of one, when the CPU's state is the target's. */
void ptm_transfer_packets(BX_CPU_C *cpu, const struct ptm_transfer *transfer);

/* --- pt_transitions.cc --- */
/* An MSR list is being loaded whose IA32_RTIT_CTL switched tracing off: do it now. */
void ptm_transition_settle(BX_CPU_C *cpu);

/* --- pt_ranges.cc --- */
bool ptm_ranges_used(const struct ptm_cpu *p);
bool ptm_filter_ranges_used(const struct ptm_cpu *p);
/* ptm_enables_update where a transfer ended, with FilterEn by filter_ip. true: the TraceStop condition is met at
 * stop_ip (FilterEn is 0); ptm_trace_stop is to follow after all other packets. */
bool ptm_enables_at(BX_CPU_C *cpu, uint64_t filter_ip, uint64_t stop_ip);
/* The packet, and Stopped. */
void ptm_trace_stop(BX_CPU_C *cpu);

/* --- pt_xsave.cc --- */
void ptm_xsave_init(BX_CPU_C *cpu);
void ptm_xsave_reset(BX_CPU_C *cpu);
enum ptm_access ptm_xss_write(BX_CPU_C *cpu, uint64_t value);

/* --- pt_vmx.cc --- */
void ptm_vmx_init(BX_CPU_C *cpu);
/* "load" and "clear IA32_RTIT_CTL": before the MSR list of an entry or exit. And what an exit saves. */
void ptm_vmx_ctl_load(BX_CPU_C *cpu);
void ptm_vmx_ctl_save(BX_CPU_C *cpu);
/* "Conceal VMX from PT" is in force: packets do not show that this is non-root operation. */
bool ptm_vmx_concealed(BX_CPU_C *cpu);
bool ptm_output_is_guest_physical(BX_CPU_C *cpu);
/* Translate an address of the output. false: EPT does not allow the access. */
bool ptm_guest_physical(BX_CPU_C *cpu, uint64_t *pa, bool write);

/* --- pt_truth.cc --- */
void ptm_truth_open(void);
void ptm_truth_close(void);
void ptm_truth_reset(const BX_CPU_C *cpu);
bool ptm_truth_on(void);
void ptm_truth_checkpoint(BX_CPU_C *cpu);
/* A branch that may have changed the enables; hot: its value before it. resolved: trace or code give its target. */
void ptm_truth_branch(BX_CPU_C *cpu, uint32_t hot, uint64_t from, uint64_t to, bool resolved);
/* An overflow ends at ip; 0: at the next TIP.PGE. */
void ptm_list_overflow(BX_CPU_C *cpu, uint64_t ip);
/* A VM entry (true) or VM exit: count instructions on the right side. extra: 1 where the instruction that is under way
 * belongs to the side that is left. */
void ptm_truth_world(BX_CPU_C *cpu, bool to_non_root);

#endif
