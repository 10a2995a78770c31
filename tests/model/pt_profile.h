/*
 * Profiles: which capabilities of Intel PT a processor reports. The words of CPUID leaf 14H are the only source;
 * everything that depends on a capability reads them through the names below.
 *
 * Source: SDM "Detection of Intel Processor Trace" (36.3.1), Tables 36-11 and 36-12 (CPUID leaf 14H); the bits that
 * those tables lack (PSB and PMI preservation, event trace, TNT disable) are from later editions.
 */
#ifndef PT_PROFILE_H
#define PT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* CPUID.(14H,0):EBX */
#define PTM_CAP_CR3_FILTER (1u << 0)
#define PTM_CAP_CPSB_CAM (1u << 1) /* PSBFreq, PacketByteCnt, CYC */
#define PTM_CAP_IP_FILTER (1u << 2)
#define PTM_CAP_MTC (1u << 3) /* and BranchEn = 0 */
#define PTM_CAP_PTWRITE (1u << 4)
#define PTM_CAP_POWER (1u << 5)
#define PTM_CAP_PSB_PMI (1u << 6)
#define PTM_CAP_EVENT (1u << 7)
#define PTM_CAP_TNT_DISABLE (1u << 8)

/* CPUID.(14H,0):ECX */
#define PTM_OUT_TOPA (1u << 0)
#define PTM_OUT_MENTRY (1u << 1) /* tables of any length; else one region, then END */
#define PTM_OUT_SINGLE_RANGE (1u << 2)
#define PTM_OUT_FABRIC (1u << 3)
#define PTM_OUT_LIP (1u << 31) /* IP payloads are linear addresses, not RIP */

/* LIP the other way and fewer VMX controls of those that are seldom used; and without VPID, which hypervisors use. */
enum { PTM_HYBRID_OFF, PTM_HYBRID_UNUSED, PTM_HYBRID_USED };

struct ptm_profile {
    const char *name;
    bool pt;               /* CPUID.(7,0):EBX[25] */
    bool vmx;              /* IA32_VMX_MISC[14], and the controls that conceal VMX from PT */
    bool vmx_ctl;          /* the controls "load" and "clear IA32_RTIT_CTL" */
    bool vmx_gpa;          /* the control "Intel PT uses guest physical addresses"; needs vmx_ctl */
    bool ip8;              /* IP packets may have the 8-byte payload, IPBytes = 110B */
    bool long_tnt;         /* full TNT buffers of 47 branches */
    bool xsave;            /* XSAVE state component 8 */
    uint32_t hybrid;       /* PTM_HYBRID_...: how every other CPU differs from the first */
    uint32_t cpuid14_0[4]; /* EAX EBX ECX EDX */
    uint32_t cpuid14_1[4];
    uint32_t cpuid15[3];  /* EAX denominator, EBX numerator, ECX crystal Hz; EAX = 0: as Bochs has it */
    uint32_t early_bytes; /* MENTRY = 0: how long before the region's end the PMI comes */
    uint32_t microcode;   /* MSR 8BH, upper half; 0: as Bochs reports it */
};

/* The profile of that name, what is not implemented taken out; NULL: there is none. */
const struct ptm_profile *ptm_profile_find(const char *name);
/* Turn profile=custom's words into the profile: name is one of cpuid14, cpuid15, vmxmisc14, vmxctl, vmxgpa, lip,
 * hybrid, ip8, longtnt, xsave, early, microcode. The current profile is their starting point. false: not such a word,
 * or a bad value. */
bool ptm_profile_set(const struct ptm_profile **profile, const char *name, const char *value);

/* CPUID.14H:ECX of one CPU. */
static inline uint32_t ptm_leaf14_ecx(const struct ptm_profile *profile, unsigned cpu)
{
    return profile->cpuid14_0[2] ^ (profile->hybrid && cpu % 2 != 0 ? PTM_OUT_LIP : 0);
}

static inline bool ptm_cap(const struct ptm_profile *profile, uint32_t ebx_bit)
{
    return profile->pt && (profile->cpuid14_0[1] & ebx_bit) != 0;
}

static inline bool ptm_out(const struct ptm_profile *profile, uint32_t ecx_bit)
{
    return profile->pt && (profile->cpuid14_0[2] & ecx_bit) != 0;
}

/* Sub-leaf 1 is there where sub-leaf 0's EAX says so. */
static inline uint32_t ptm_sub1(const struct ptm_profile *profile, unsigned reg)
{
    return profile->pt && profile->cpuid14_0[0] >= 1 ? profile->cpuid14_1[reg] : 0;
}

/* IA32_RTIT_ADDRn_A and _B: 0 to 4 */
static inline uint32_t ptm_nr_ranges(const struct ptm_profile *profile)
{
    uint32_t nr = ptm_cap(profile, PTM_CAP_IP_FILTER) ? ptm_sub1(profile, 0) & 7 : 0;
    return nr < 4 ? nr : 4;
}

/* Bitmaps of the supported encodings of MTCFreq, CycThresh, PSBFreq. */
static inline uint32_t ptm_mtc_periods(const struct ptm_profile *profile)
{
    return ptm_sub1(profile, 0) >> 16;
}
static inline uint32_t ptm_cyc_thresholds(const struct ptm_profile *profile)
{
    return ptm_sub1(profile, 1) & 0xffff;
}
static inline uint32_t ptm_psb_periods(const struct ptm_profile *profile)
{
    return ptm_sub1(profile, 1) >> 16;
}

#endif
