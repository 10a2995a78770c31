/*
 * The capabilities of this CPU's Intel PT, and the configuration that the options ask for.
 *
 * Source: SDM "Detection of Intel PT via CPUID" (CPUID leaves 07H, 14H, 15H), IA32_VMX_MISC (Appendix A.6).
 */
#ifndef PT_CAPS_H
#define PT_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers as read on one CPU, by pt_cpuid_read. */
struct pt_cpuid {
    uint32_t leaf0_eax;   /* highest basic leaf */
    uint32_t leaf7_ebx;   /* bit 25: Intel PT */
    uint32_t leaf14_0[4]; /* EAX EBX ECX EDX */
    uint32_t leaf14_1[4];
    uint32_t leaf15[4];
    uint32_t leaf80000008_eax; /* MAXPHYADDR in bits 7:0 */
    uint64_t vmx_misc;         /* IA32_VMX_MISC, 0 without VMX */
    uint64_t rtit_ctl;         /* IA32_RTIT_CTL as found, 0 without PT */
};

/* How TraceEn is switched at VM entries and exits. */
enum pt_switch {
    PT_SWITCH_ROOT, /* by WRMSR in root operation, just before the entry and just after the exit */
    PT_SWITCH_LIST, /* by the MSR-load lists of entries and exits */
    PT_SWITCH_VMCS, /* by the controls "load IA32_RTIT_CTL" and "clear IA32_RTIT_CTL" */
    PT_SWITCH_SOFT  /* by soft PT: the guest is single-stepped, and software makes the packets (pt/soft/soft_pt.h) */
};

/* What an address range of IA32_RTIT_ADDRn_A and _B is for: the values of ADDRn_CFG. */
enum pt_range_kind { PT_RANGE_OFF = 0, PT_RANGE_FILTER = 1, PT_RANGE_STOP = 2 };
struct pt_range {
    enum pt_range_kind kind;
    uint64_t start, end; /* linear addresses, end included */
};
#define PT_MAX_RANGES 4u

#define PT_PSB_AUTO 1u
#define PT_MTC_AUTO 0xffu

/* What happens when the trace is faster than the wire. */
enum pt_policy {
    PT_POLICY_STALL, /* the guest waits */
    PT_POLICY_DROP,  /* tracing pauses, a gap record says where and how long */
    PT_POLICY_RING /* policy=ring, the flight recorder: the newest bytes are kept, and sent on a trigger or a command */
};

/* How the trace is written to memory: SDM "Trace Output" (36.2.6). */
enum pt_scheme {
    PT_SCHEME_AUTO,   /* the first of the following that the CPU supports */
    PT_SCHEME_TOPA,   /* tables of many regions */
    PT_SCHEME_SINGLE, /* a table of one region, which each drain replaces */
    PT_SCHEME_RANGE   /* one contiguous range without a table */
};

/* What generates the packets. */
enum pt_unit {
    PT_UNIT_ANY, /* pt=on: the CPU if it can, otherwise soft PT */
    PT_UNIT_CPU, /* pt=cpu: only the CPU */
    PT_UNIT_SOFT /* pt=soft */
};

/* What the options ask for. Sizes in bytes. */
struct pt_options {
    bool enabled;          /* pt= is not off */
    enum pt_unit unit;     /* pt=on|cpu|soft */
    enum pt_scheme scheme; /* pt.scheme= */
    bool stop;             /* pt.stop=: scheme single stops tracing when a region is full, instead of wrapping */
    uint64_t region_bytes; /* pt.region= */
    uint32_t nr_regions;   /* pt.regions=, 4 to 4096 */
    bool os, user;         /* pt.os= pt.user= */
    bool tsc;              /* pt.tsc= */
    bool disable_retc;     /* pt.retc=off */
    uint32_t psb_bytes;    /* pt.psb=: a PSB about every so many bytes, 2K to 64M; 0: the CPU's own choice;
                              PT_PSB_AUTO: 16K where the CPU has it, else its own */
    uint64_t branches;     /* pt.branches=: soft PT stops after so many; 0: never */
    uint64_t trigger;      /* pt.trigger=: executing this address sends what policy=ring has kept; 0: off */
    bool trigger_starts;   /* trigger is the address of pt.start=: nothing is traced before */
    bool code_from_start;  /* ... and no code is recorded before: the command resume cannot begin the trace */
    enum pt_policy policy; /* policy= */
    uint32_t flush_ms;     /* pt.flush=: no byte is kept longer, unless policy=ring; 0: off */
    enum pt_switch way;    /* pt.switch=; PT_SWITCH_SOFT: chosen by pt_soft_choose */
    bool no_branches;      /* pt.branch=off */
    bool ptwrite;          /* pt.ptwrite=on */
    bool mtc_on, cyc_on;   /* pt.mtc= pt.cyc= are not off */
    uint8_t mtc, cyc;      /* MTCFreq, CycThresh: 0 to 15; mtc may be PT_MTC_AUTO: pt_mtc_code */
    bool cr3_on;           /* pt.cr3= is not off */
    uint64_t cr3[2];       /* 32-byte aligned; [1] may be 0: one value only */
    struct pt_range ranges[PT_MAX_RANGES]; /* pt.range0= to pt.range3= */
};

/* The same as register values. */
struct pt_setup {
    enum pt_scheme scheme; /* not AUTO */
    uint64_t rtit_ctl;     /* IA32_RTIT_CTL with TraceEn clear */
    bool has_cr3_match;    /* the CPU has IA32_RTIT_CR3_MATCH */
    uint64_t cr3_match[2]; /* IA32_RTIT_CR3_MATCH; [1], unless 0, alternates with [0]: pt_cr3 */
    uint32_t nr_ranges;    /* pairs of IA32_RTIT_ADDRn_A and _B that the CPU has */
    uint64_t addr_a[PT_MAX_RANGES], addr_b[PT_MAX_RANGES];
};

enum pt_refusal {
    PT_OK = 0,
    PT_OFF,            /* pt=off */
    PT_NO_CPUID,       /* CPUID.7.EBX[25] = 0 */
    PT_NO_VMX_MISC_14, /* IA32_VMX_MISC[14] = 0, as under nested KVM */
    PT_NO_OUTPUT,      /* CPUID.14H.ECX: no scheme */
    PT_NO_TOPA,        /* pt.scheme=topa or single, CPUID.14H.ECX[0] = 0 */
    PT_NO_MENTRY,      /* pt.scheme=topa, CPUID.14H.ECX[1] = 0: ToPA of one entry only */
    PT_NO_RANGE,       /* pt.scheme=range, CPUID.14H.ECX[2] = 0 */
    PT_REGIONS_MANY,   /* more regions than the scheme supports */
    PT_RANGE_LARGE,    /* the regions are larger than a single range can be */
    PT_TRACE_ENABLED,  /* IA32_RTIT_CTL.TraceEn is set: firmware or a probe owns PT */
    PT_BAD_OPTION      /* this CPU's PT does not support an option: pt_unsupported_option says which */
};
/* Is an option the reason, so that other options would help? false: the CPU, firmware or the hypervisor below is. */
bool pt_refusal_by_option(enum pt_refusal refusal);

/* A clause that follows "no trace: " and says what is missing. The texts are stable. */
const char *pt_refusal_text(enum pt_refusal refusal);

/* Can this CPU do what config asks for? If not, *setup is all zero. */
enum pt_refusal pt_options_resolve(struct pt_setup *setup, const struct pt_cpuid *cpuid,
                                   const struct pt_options *config);

/* Decide between the CPU's PT and soft PT. true: soft PT, and config->way says so; if no option selects soft PT or what
 * to trace, config is limited to the first million branches. refusal: what pt_options_resolve returns for the CPU's own
 * PT. */
bool pt_soft_choose(struct pt_options *config, enum pt_refusal refusal);

/* Describe the first option of config that a CPU with PT does not support: "pt.mtc=5: this CPU supports off 0 3 6 9".
 * Returns the length, 0 if there is none. The texts are stable. */
size_t pt_unsupported_option(char *text, size_t size, const struct pt_cpuid *cpuid, const struct pt_options *config);

/* The PSBFreq code of pt.psb= on this CPU. -1: the CPU does not support it. */
int pt_psb_code(const struct pt_cpuid *cpuid, uint32_t psb_bytes);

/* The MTCFreq code of pt.mtc= on this CPU. -1: no MTC packets. PT_MTC_AUTO: with TSC packets the code 6 or the next
 * higher one that the CPU supports, else none. */
int pt_mtc_code(const struct pt_cpuid *cpuid, const struct pt_options *config);

/* Number of pairs IA32_RTIT_ADDRn_A and _B on this CPU, up to PT_MAX_RANGES. */
uint32_t pt_nr_ranges(const struct pt_cpuid *cpuid);

#endif
