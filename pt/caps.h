/*
 * What this CPU's Intel PT can do, and what we want of it. Core.
 *
 * Source: SDM "Detection of Intel PT via CPUID" (CPUID leaves 07H, 14H, 15H), IA32_VMX_MISC (Appendix A.6).
 */
#ifndef PT_CAPS_H
#define PT_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers as read on one CPU; the shell fills it in. */
struct pt_cpuid {
    uint32_t leaf0_eax;   /* highest basic leaf */
    uint32_t leaf7_ebx;   /* bit 25: Intel PT */
    uint32_t leaf14_0[4]; /* EAX EBX ECX EDX */
    uint32_t leaf14_1[4];
    uint32_t leaf15[4];
    uint32_t leaf80000008_eax; /* MAXPHYADDR in bits 7:0 */
    uint64_t vmx_misc;         /* IA32_VMX_MISC, 0 where there is no VMX */
    uint64_t rtit_ctl;         /* IA32_RTIT_CTL as found, 0 where there is no PT */
};

/* What the options ask for. Sizes in bytes. */
struct pt_config {
    bool enabled;          /* pt=on|off */
    uint64_t region_bytes; /* pt.region= */
    uint32_t nr_regions;   /* pt.regions=, at least 4 */
    bool os, user;         /* pt.os= pt.user= */
    bool tsc;              /* pt.tsc= */
    bool disable_retc;     /* pt.retc=off */
    uint32_t psb_bytes;    /* pt.psb=: a PSB about every so many bytes, 2K to 64M; 0: the CPU's own choice */
};

enum pt_refusal {
    PT_OK = 0,
    PT_OFF,            /* pt=off */
    PT_NO_CPUID,       /* CPUID.7.EBX[25] = 0 */
    PT_NO_VMX_MISC_14, /* IA32_VMX_MISC[14] = 0, as under nested KVM */
    PT_NO_TOPA,        /* CPUID.14H.ECX[0] = 0 */
    PT_NO_MENTRY,      /* CPUID.14H.ECX[1] = 0: ToPA of one entry only */
    PT_NO_CYCLE_PSB,   /* pt.psb= asked for, CPUID.14H.EBX[1] = 0 */
    PT_TRACE_ENABLED,  /* IA32_RTIT_CTL.TraceEn is set: firmware or a probe owns PT */
    PT_PSB_UNSUPPORTED /* this PSB frequency is not in CPUID.(14H,1):EBX[31:16] */
};
/* A clause to follow "no trace: ": what is missing. Stable. */
const char *pt_refusal_text(enum pt_refusal refusal);

/* Can config be done on this CPU? *rtit_ctl receives IA32_RTIT_CTL with TraceEn clear. */
enum pt_refusal pt_config_resolve(uint64_t *rtit_ctl, const struct pt_cpuid *cpuid, const struct pt_config *config);

#endif
