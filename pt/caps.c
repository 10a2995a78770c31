/*
 * Whether a CPU can trace as the options ask, and IA32_RTIT_CTL for it.
 *
 * Core. Source: SDM "Detection of Intel PT" and Tables "CPUID Leaf 14H Enumeration" (36.3.1), Appendix A.6 for
 * IA32_VMX_MISC[14], Table "IA32_RTIT_CTL MSR" for PSBFreq.
 */
#include "pt/caps.h"
#include "pt/rtit.h"

#define PSB_BYTES_MIN 2048ull /* PSBFreq 0 */

const char *pt_refusal_text(enum pt_refusal refusal)
{
    switch (refusal) {
    case PT_OK:
        return "Intel PT can be used";
    case PT_OFF:
        return "Intel PT is off by the option pt=off";
    case PT_NO_CPUID:
        return "this CPU has no Intel PT (CPUID.07H:EBX[25] is 0)";
    case PT_NO_VMX_MISC_14:
        return "this CPU, or the hypervisor below, allows no Intel PT in VMX operation (IA32_VMX_MISC[14] is 0)";
    case PT_NO_TOPA:
        return "this CPU's Intel PT has no ToPA output (CPUID.14H:ECX[0] is 0)";
    case PT_NO_MENTRY:
        return "this CPU's ToPA tables hold one region only (CPUID.14H:ECX[1] is 0), a ring of regions is needed";
    case PT_NO_CYCLE_PSB:
        return "this CPU's PSB frequency is fixed (CPUID.14H:EBX[1] is 0), use pt.psb=0";
    case PT_TRACE_ENABLED:
        return "Intel PT is in use by firmware or a debug probe (IA32_RTIT_CTL.TraceEn is 1)";
    case PT_PSB_UNSUPPORTED:
        return "this CPU does not have the PSB frequency of pt.psb= (CPUID.(14H,1):EBX[31:16])";
    }
    return "unknown refusal";
}

/* The PSBFreq code for a PSB every psb_bytes. -1: no such code, or the CPU does not have it. */
static int psb_freq_code(const struct pt_cpuid *cpuid, uint32_t psb_bytes)
{
    uint32_t supported = cpuid->leaf14_0[0] >= 1 ? cpuid->leaf14_1[1] >> 16 : 0;
    for (int code = 0; code < 16; code++)
        if (PSB_BYTES_MIN << code == psb_bytes)
            return supported >> code & 1 ? code : -1;
    return -1;
}

static enum pt_refusal check_cpu(const struct pt_cpuid *cpuid)
{
    if (cpuid->leaf0_eax < 0x14 || !(cpuid->leaf7_ebx & CPUID_7_EBX_PT))
        return PT_NO_CPUID;
    if (!(cpuid->vmx_misc & VMX_MISC_PT_IN_VMX))
        return PT_NO_VMX_MISC_14;
    if (!(cpuid->leaf14_0[2] & CPUID_14_ECX_TOPAOUT))
        return PT_NO_TOPA;
    if (!(cpuid->leaf14_0[2] & CPUID_14_ECX_MENTRY))
        return PT_NO_MENTRY;
    if (cpuid->rtit_ctl & RTIT_CTL_TRACE_EN)
        return PT_TRACE_ENABLED;
    return PT_OK;
}

enum pt_refusal pt_config_resolve(uint64_t *rtit_ctl, const struct pt_cpuid *cpuid, const struct pt_config *config)
{
    *rtit_ctl = 0;
    if (!config->enabled)
        return PT_OFF;
    enum pt_refusal refusal = check_cpu(cpuid);
    if (refusal != PT_OK)
        return refusal;

    uint64_t ctl = RTIT_CTL_TOPA | RTIT_CTL_BRANCH_EN;
    if (config->psb_bytes != 0) {
        if (!(cpuid->leaf14_0[1] & CPUID_14_EBX_CPSB_CAM))
            return PT_NO_CYCLE_PSB;
        int code = psb_freq_code(cpuid, config->psb_bytes);
        if (code < 0)
            return PT_PSB_UNSUPPORTED;
        ctl |= (uint64_t)code << RTIT_CTL_PSB_FREQ_SHIFT;
    }
    if (config->os)
        ctl |= RTIT_CTL_OS;
    if (config->user)
        ctl |= RTIT_CTL_USER;
    if (config->tsc)
        ctl |= RTIT_CTL_TSC_EN;
    if (config->disable_retc)
        ctl |= RTIT_CTL_DIS_RETC;
    *rtit_ctl = ctl;
    return PT_OK;
}
