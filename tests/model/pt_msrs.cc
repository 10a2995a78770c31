/*
 * The MSRs: IA32_RTIT_*, IA32_VMX_MISC and the microcode revision; pt_pmu.cc has those of performance monitoring.
 *
 * Source: SDM "Configuration Registers" / "IA32_RTIT_CTL MSR" and following (36.2.7); Vol. 4.
 */
#include "pt_internal.h"

enum {
    MSR_IA32_BIOS_SIGN_ID = 0x8b,
    MSR_IA32_VMX_MISC = 0x485,
    MSR_IA32_RTIT_OUTPUT_BASE = 0x560,
    MSR_IA32_RTIT_OUTPUT_MASK_PTRS = 0x561,
    MSR_IA32_RTIT_CTL = 0x570,
    MSR_IA32_RTIT_STATUS = 0x571,
    MSR_IA32_RTIT_CR3_MATCH = 0x572,
    MSR_IA32_RTIT_ADDR0_A = 0x580,
    MSR_IA32_XSS = 0xda0
};

/* Bochs's VMX_MSR_MISC reads the CPU whose member function uses it: here that is the parameter. */
#undef BX_CPU_THIS_PTR
#define BX_CPU_THIS_PTR cpu->

static const uint64_t VMX_MISC_PT = 1ull << 14;

/* Whether this processor has the IA32_RTIT_* MSR: else RDMSR and WRMSR fault. Tables 36-11 and 36-12. */
static bool is_there(uint32_t index)
{
    const struct ptm_profile *profile = ptm_config.profile;
    switch (index) {
    case MSR_IA32_RTIT_CTL:
    case MSR_IA32_RTIT_STATUS:
        return true;
    case MSR_IA32_RTIT_OUTPUT_BASE:
    case MSR_IA32_RTIT_OUTPUT_MASK_PTRS:
        return ptm_out(profile, PTM_OUT_TOPA | PTM_OUT_SINGLE_RANGE);
    case MSR_IA32_RTIT_CR3_MATCH:
        return ptm_cap(profile, PTM_CAP_CR3_FILTER);
    default:
        return index - MSR_IA32_RTIT_ADDR0_A < 2 * ptm_nr_ranges(profile);
    }
}

static bool is_rtit(uint32_t index)
{
    return index == MSR_IA32_RTIT_OUTPUT_BASE || index == MSR_IA32_RTIT_OUTPUT_MASK_PTRS ||
           (index >= MSR_IA32_RTIT_CTL && index <= MSR_IA32_RTIT_CR3_MATCH) ||
           (index >= MSR_IA32_RTIT_ADDR0_A && index < MSR_IA32_RTIT_ADDR0_A + 2 * PTM_NR_RANGES);
}

/* ContextEn and FilterEn are as they were last where TriggerEn or TraceEn is 0 (36.2.5.3, 36.2.7.4). */
static uint64_t status_read(const struct ptm_cpu *p)
{
    uint64_t status = p->msr.status;
    if (p->trigger_en)
        status |= RTIT_STATUS_TRIGGER_EN;
    if (p->context_en)
        status |= RTIT_STATUS_CONTEXT_EN;
    if (p->filter_en)
        status |= RTIT_STATUS_FILTER_EN;
    return status;
}

static uint64_t rtit_read(const struct ptm_cpu *p, uint32_t index)
{
    switch (index) {
    case MSR_IA32_RTIT_OUTPUT_BASE:
        return p->msr.output_base;
    case MSR_IA32_RTIT_OUTPUT_MASK_PTRS:
        return p->msr.output_mask_ptrs;
    case MSR_IA32_RTIT_CTL:
        return p->msr.ctl;
    case MSR_IA32_RTIT_STATUS:
        return status_read(p);
    case MSR_IA32_RTIT_CR3_MATCH:
        return p->msr.cr3_match;
    default:
        return p->msr.addr[index - MSR_IA32_RTIT_ADDR0_A];
    }
}

enum ptm_access ptm_rdmsr(BX_CPU_C *cpu, uint32_t index, uint64_t *value)
{
    const struct ptm_cpu *p = &cpu->ptm;
    if (ptm_apic_rdmsr(cpu, index, value) || ptm_speculation_rdmsr(index, value))
        return PTM_DONE;
    if (!ptm_config.profile->pt)
        return is_rtit(index) ? PTM_FAULT : PTM_NOT_MINE; /* 36.2.7.1 */
    switch (index) {
    case MSR_IA32_BIOS_SIGN_ID:
        *value = (uint64_t)ptm_config.profile->microcode << 32;
        return PTM_DONE;
    case MSR_IA32_VMX_MISC:
        if (!cpu->is_cpu_extension_supported(BX_ISA_VMX))
            return PTM_NOT_MINE;
        *value = (VMX_MSR_MISC & ~VMX_MISC_PT) | (ptm_config.profile->vmx ? VMX_MISC_PT : 0);
        return PTM_DONE;
    default:
        if (!is_rtit(index))
            return ptm_pmu_rdmsr(cpu, index, value);
        if (!is_there(index))
            return PTM_FAULT;
        *value = rtit_read(p, index);
        return PTM_DONE;
    }
}

/* Table 36-6: the bits that this processor does not reserve. */
static uint64_t ctl_bits_allowed(void)
{
    static const struct {
        uint32_t cap;
        uint64_t bits;
    } optional[] = {
        {PTM_CAP_CR3_FILTER, RTIT_CTL_CR3_FILTER},
        {PTM_CAP_CPSB_CAM, RTIT_CTL_PSB_FREQ | RTIT_CTL_CYC_EN | RTIT_CTL_CYC_THRESH},
        {PTM_CAP_MTC, RTIT_CTL_MTC_EN | RTIT_CTL_MTC_FREQ},
        {PTM_CAP_PTWRITE, RTIT_CTL_PTW_EN | RTIT_CTL_FUP_ON_PTW},
        {PTM_CAP_POWER, RTIT_CTL_PWR_EVT_EN},
        {PTM_CAP_PSB_PMI, RTIT_CTL_INJECT_PSB_PMI},
        {PTM_CAP_EVENT, RTIT_CTL_EVENT_EN},
        {PTM_CAP_TNT_DISABLE, RTIT_CTL_DIS_TNT},
    };
    const struct ptm_profile *profile = ptm_config.profile;
    uint64_t bits =
        RTIT_CTL_TRACE_EN | RTIT_CTL_OS | RTIT_CTL_USER | RTIT_CTL_TSC_EN | RTIT_CTL_DIS_RETC | RTIT_CTL_BRANCH_EN;
    for (size_t n = 0; n < sizeof(optional) / sizeof(optional[0]); n++)
        bits |= ptm_cap(profile, optional[n].cap) ? optional[n].bits : 0;
    bits |= ptm_out(profile, PTM_OUT_TOPA) ? RTIT_CTL_TOPA : 0;
    bits |= ptm_out(profile, PTM_OUT_FABRIC) ? RTIT_CTL_FABRIC_EN : 0;
    for (uint32_t range = 0; range < ptm_nr_ranges(profile); range++)
        bits |= 0xfull << RTIT_CTL_ADDR_CFG_SHIFT(range);
    return ptm_cyc_thresholds(profile) ? bits : bits & ~RTIT_CTL_CYC_EN;
}

/* A field of four bits holds one of the supported encodings. 0 with its packets off needs no support. */
static bool encoding_valid(uint64_t ctl, unsigned shift, uint64_t enable, uint32_t supported)
{
    uint32_t encoding = ctl >> shift & 0xf;
    return (encoding == 0 && !(ctl & enable)) || (supported >> encoding & 1) != 0;
}

static bool encodings_valid(uint64_t ctl)
{
    const struct ptm_profile *profile = ptm_config.profile;
    for (uint32_t range = 0; range < PTM_NR_RANGES; range++)
        if ((ctl >> RTIT_CTL_ADDR_CFG_SHIFT(range) & 0xf) > 2)
            return false;
    return encoding_valid(ctl, RTIT_CTL_MTC_FREQ_SHIFT, RTIT_CTL_MTC_EN, ptm_mtc_periods(profile)) &&
           encoding_valid(ctl, RTIT_CTL_CYC_THRESH_SHIFT, RTIT_CTL_CYC_EN, ptm_cyc_thresholds(profile)) &&
           encoding_valid(ctl, RTIT_CTL_PSB_FREQ_SHIFT, 0, ptm_psb_periods(profile));
}

bool ptm_ctl_bits_valid(uint64_t ctl)
{
    if (ctl & ~ctl_bits_allowed())
        return false;
    if (!encodings_valid(ctl))
        return false;
    return !(ctl & RTIT_CTL_TRACE_EN) || (ctl & (RTIT_CTL_TOPA | RTIT_CTL_FABRIC_EN)) ||
           ptm_out(ptm_config.profile, PTM_OUT_SINGLE_RANGE);
}

static bool ctl_valid(BX_CPU_C *cpu, uint64_t ctl)
{
    const struct ptm_cpu *p = &cpu->ptm;
    uint64_t old = p->ctl_deferred ? p->deferred_ctl : p->msr.ctl;
    if (!ptm_ctl_bits_valid(ctl))
        return false;
    if ((old & ctl & RTIT_CTL_TRACE_EN) && ctl != old)
        return false;
    return !(ctl & RTIT_CTL_TRACE_EN) || ptm_config.profile->vmx || !cpu->in_vmx; /* 36.5.1 */
}

static enum ptm_access ctl_write(BX_CPU_C *cpu, uint64_t ctl)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (!ctl_valid(cpu, ctl))
        return PTM_FAULT;
    if (p->in_vmx_transition) {
        p->ctl_deferred = true;
        p->deferred_ctl = ctl;
        return PTM_DONE;
    }
    ptm_ctl_set(cpu, ctl, cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip), ptm_current_ip(cpu));
    return PTM_DONE;
}

static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

/* Table 36-7. FilterEn, ContextEn and TriggerEn ignore what is written. */
static enum ptm_access status_write(struct ptm_cpu *p, uint64_t value)
{
    static const uint64_t IGNORED = RTIT_STATUS_FILTER_EN | RTIT_STATUS_CONTEXT_EN | RTIT_STATUS_TRIGGER_EN;
    uint64_t writable = RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED;
    if (ptm_cap(ptm_config.profile, PTM_CAP_CPSB_CAM))
        writable |= RTIT_STATUS_BYTE_CNT;
    if (ptm_cap(ptm_config.profile, PTM_CAP_PSB_PMI))
        writable |= RTIT_STATUS_PEND_PSB | RTIT_STATUS_PEND_TOPA_PMI;
    if (value & ~(writable | IGNORED))
        return PTM_FAULT;
    p->msr.status = value & writable;
    return PTM_DONE;
}

/* All but IA32_RTIT_CTL: 36.2.7.1, "writes with TraceEn = 1 fault". */
static enum ptm_access config_write(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    struct ptm_cpu *p = &cpu->ptm;
    ptm_transition_settle(cpu);
    if ((p->ctl_deferred ? p->deferred_ctl : p->msr.ctl) & RTIT_CTL_TRACE_EN)
        return PTM_FAULT;
    switch (index) {
    case MSR_IA32_RTIT_OUTPUT_BASE:
        if ((value & 0x7f) || value >> BX_PHY_ADDRESS_WIDTH)
            return PTM_FAULT;
        p->msr.output_base = value;
        return PTM_DONE;
    case MSR_IA32_RTIT_OUTPUT_MASK_PTRS:
        p->msr.output_mask_ptrs = value | TOPA_PTRS_LOWER_ONES;
        return PTM_DONE;
    case MSR_IA32_RTIT_STATUS:
        return status_write(p, value);
    case MSR_IA32_RTIT_CR3_MATCH:
        if (value & 0x1f)
            return PTM_FAULT;
        p->msr.cr3_match = value;
        return PTM_DONE;
    default:
        if (!is_canonical(value))
            return PTM_FAULT;
        p->msr.addr[index - MSR_IA32_RTIT_ADDR0_A] = value;
        return PTM_DONE;
    }
}

enum ptm_access ptm_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    if (!ptm_apic_wrmsr(cpu, index, value))
        return PTM_FAULT;
    ptm_speculation_wrmsr(cpu, index, value);
    if (!ptm_config.profile->pt)
        return is_rtit(index) ? PTM_FAULT : PTM_NOT_MINE;
    switch (index) {
    case MSR_IA32_BIOS_SIGN_ID:
        return PTM_DONE;
    case MSR_IA32_XSS:
        return ptm_xss_write(cpu, value);
    default:
        if (!is_rtit(index))
            return ptm_pmu_wrmsr(cpu, index, value);
        if (!is_there(index))
            return PTM_FAULT;
        return index == MSR_IA32_RTIT_CTL ? ctl_write(cpu, value) : config_write(cpu, index, value);
    }
}
