/* Kind: core */
/*
 * Can a CPU trace as the options ask for? If so, IA32_RTIT_CTL for it.
 *
 * Source: SDM "Detection of Intel PT" and Tables "CPUID Leaf 14H Enumeration" (36.3.1), Appendix A.6 for
 * IA32_VMX_MISC[14], Table "IA32_RTIT_CTL MSR".
 */
#include "pt/caps.h"

#include "base/init.h"
#include "pt/output/scheme.h"
#include "pt/rtit.h"

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
        return "this CPU, or the hypervisor below, does not support Intel PT in VMX operation (IA32_VMX_MISC[14] is 0)";
    case PT_NO_OUTPUT:
        return "this CPU's Intel PT has no output scheme that we support (CPUID.14H:ECX[2:0] is 0)";
    case PT_NO_TOPA:
        return "this CPU's Intel PT has no ToPA output (CPUID.14H:ECX[0] is 0), use pt.scheme=range";
    case PT_NO_MENTRY:
        return "this CPU's ToPA tables hold only one region (CPUID.14H:ECX[1] is 0), use pt.scheme=single";
    case PT_NO_RANGE:
        return "this CPU's Intel PT has no single-range output (CPUID.14H:ECX[2] is 0), use pt.scheme=topa or single";
    case PT_REGIONS_MANY:
        return "pt.regions= is too large: pt.scheme=single takes at most 120 regions, topa 4096";
    case PT_RANGE_LARGE:
        return "pt.region= times pt.regions= is too large: a single range takes at most 2 GiB";
    case PT_TRACE_ENABLED:
        return "Intel PT is in use by firmware or a debug probe (IA32_RTIT_CTL.TraceEn is 1)";
    case PT_BAD_OPTION:
        return "an option asks for a feature that this CPU's Intel PT does not have";
    }
    return "unknown refusal";
}

INIT_CODE bool pt_refusal_by_option(enum pt_refusal refusal)
{
    switch (refusal) {
    case PT_NO_TOPA:
    case PT_NO_MENTRY:
    case PT_NO_RANGE:
    case PT_REGIONS_MANY:
    case PT_RANGE_LARGE:
    case PT_BAD_OPTION:
        return true;
    default:
        return false;
    }
}

static enum pt_refusal check_cpu(const struct pt_cpuid *cpuid)
{
    if (cpuid->leaf0_eax < 0x14 || !(cpuid->leaf7_ebx & CPUID_7_EBX_PT))
        return PT_NO_CPUID;
    if (!(cpuid->vmx_misc & VMX_MISC_PT_IN_VMX))
        return PT_NO_VMX_MISC_14;
    if (cpuid->rtit_ctl & RTIT_CTL_TRACE_EN)
        return PT_TRACE_ENABLED;
    return PT_OK;
}

/* With the defaults, a boot must not take hours. */
#define SOFT_BRANCHES_DEFAULT 1000000u

static bool has_window(const struct pt_options *config)
{
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        if (config->ranges[i].kind == PT_RANGE_FILTER)
            return true;
    return config->cr3_on || config->branches != 0;
}

INIT_CODE bool pt_soft_choose(struct pt_options *config, enum pt_refusal refusal)
{
    const bool cpu_cannot = refusal != PT_OK && refusal != PT_OFF && !pt_refusal_by_option(refusal);

    if (!config->enabled || config->unit == PT_UNIT_CPU || (config->unit == PT_UNIT_ANY && !cpu_cannot))
        return false;
    config->way = PT_SWITCH_SOFT;
    if (config->unit == PT_UNIT_ANY && !has_window(config))
        config->branches = SOFT_BRANCHES_DEFAULT;
    return true;
}

/* The bits of IA32_RTIT_CTL that select what to trace. */
static uint64_t ctl_what(const struct pt_options *config)
{
    uint64_t ctl = 0;
    if (config->os)
        ctl |= RTIT_CTL_OS;
    if (config->user)
        ctl |= RTIT_CTL_USER;
    if (config->cr3_on)
        ctl |= RTIT_CTL_CR3_FILTER;
    if (config->disable_retc)
        ctl |= RTIT_CTL_DIS_RETC;
    if (!config->no_branches)
        ctl |= RTIT_CTL_BRANCH_EN;
    if (config->ptwrite)
        ctl |= RTIT_CTL_PTW_EN | RTIT_CTL_FUP_ON_PTW;
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        ctl |= (uint64_t)config->ranges[i].kind << (RTIT_CTL_ADDR0_CFG_SHIFT + 4 * i);
    return ctl;
}

/* The bits that select the packets of time and the frequency of PSBs. */
static uint64_t ctl_timing(const struct pt_cpuid *cpuid, const struct pt_options *config)
{
    uint64_t ctl = 0;
    int psb = pt_psb_code(cpuid, config->psb_bytes);
    if (psb > 0)
        ctl |= (uint64_t)psb << RTIT_CTL_PSB_FREQ_SHIFT;
    if (config->tsc)
        ctl |= RTIT_CTL_TSC_EN;
    const int mtc = pt_mtc_code(cpuid, config);
    if (mtc >= 0)
        ctl |= RTIT_CTL_MTC_EN | (uint64_t)mtc << RTIT_CTL_MTC_FREQ_SHIFT;
    if (config->cyc_on)
        ctl |= RTIT_CTL_CYC_EN | (uint64_t)config->cyc << RTIT_CTL_CYC_THRESH_SHIFT;
    return ctl;
}

enum pt_refusal pt_options_resolve(struct pt_setup *setup, const struct pt_cpuid *cpuid,
                                   const struct pt_options *config)
{
    char objection[8];
    *setup = (struct pt_setup){0};
    if (!config->enabled)
        return PT_OFF;
    enum pt_refusal refusal = check_cpu(cpuid);
    if (refusal != PT_OK)
        return refusal;
    if (pt_unsupported_option(objection, sizeof(objection), cpuid, config) != 0)
        return PT_BAD_OPTION;
    enum pt_scheme scheme;
    refusal = pt_scheme_resolve(&scheme, cpuid, config);
    if (refusal != PT_OK)
        return refusal;
    setup->scheme = scheme;
    setup->rtit_ctl = (scheme == PT_SCHEME_RANGE ? 0 : RTIT_CTL_TOPA) | ctl_what(config) | ctl_timing(cpuid, config);
    setup->has_cr3_match = (cpuid->leaf14_0[1] & CPUID_14_EBX_CR3_FILTER) != 0;
    for (unsigned i = 0; i < 2; i++)
        setup->cr3_match[i] = config->cr3[i];
    setup->nr_ranges = pt_nr_ranges(cpuid);
    for (unsigned i = 0; i < setup->nr_ranges; i++) {
        setup->addr_a[i] = config->ranges[i].start;
        setup->addr_b[i] = config->ranges[i].end;
    }
    return PT_OK;
}
