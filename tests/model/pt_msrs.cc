/*
 * The MSRs: IA32_RTIT_*, IA32_VMX_MISC, the three of the performance-monitoring unit that a ToPA PMI needs, and the
 * microcode revision.
 *
 * Source: SDM "Configuration Registers" / "IA32_RTIT_CTL MSR" and following (36.2.7); Vol. 4.
 */
#include "pt_internal.h"

enum {
    MSR_IA32_BIOS_SIGN_ID = 0x8b,
    MSR_IA32_PERF_GLOBAL_STATUS = 0x38e,
    MSR_IA32_PERF_GLOBAL_CTRL = 0x38f,
    MSR_IA32_PERF_GLOBAL_STATUS_RESET = 0x390,
    MSR_IA32_VMX_MISC = 0x485,
    MSR_IA32_RTIT_OUTPUT_BASE = 0x560,
    MSR_IA32_RTIT_OUTPUT_MASK_PTRS = 0x561,
    MSR_IA32_RTIT_CTL = 0x570,
    MSR_IA32_RTIT_STATUS = 0x571,
    MSR_IA32_RTIT_CR3_MATCH = 0x572,
    MSR_IA32_RTIT_ADDR0_A = 0x580
};

/* Bochs's VMX_MSR_MISC asks the CPU that it stands in: here that is the parameter. */
#undef BX_CPU_THIS_PTR
#define BX_CPU_THIS_PTR cpu->

static const uint64_t VMX_MISC_PT = 1ull << 14;

static uint32_t nr_ranges(void)
{
    return ptm_nr_ranges(ptm_config.profile);
}

static bool is_range(uint32_t index)
{
    return index >= MSR_IA32_RTIT_ADDR0_A && index < MSR_IA32_RTIT_ADDR0_A + 2 * nr_ranges();
}

static uint64_t status_read(const struct ptm_cpu *p)
{
    uint64_t status = p->msr.status;
    if (p->trigger_en)
        status |= RTIT_STATUS_TRIGGER_EN;
    if (p->context_en)
        status |= RTIT_STATUS_CONTEXT_EN;
    if (p->packet_en)
        status |= RTIT_STATUS_FILTER_EN;
    return status;
}

enum ptm_access ptm_rdmsr(BX_CPU_C *cpu, uint32_t index, uint64_t *value)
{
    const struct ptm_cpu *p = &cpu->ptm;
    if (!ptm_config.profile->pt)
        return PTM_NOT_MINE;
    switch (index) {
    case MSR_IA32_BIOS_SIGN_ID:
        *value = (uint64_t)ptm_config.profile->microcode << 32;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS:
        *value = p->msr.perf_global_status;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_CTRL:
        *value = p->msr.perf_global_ctrl;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS_RESET:
        *value = 0;
        return PTM_DONE;
    case MSR_IA32_VMX_MISC:
        if (!cpu->is_cpu_extension_supported(BX_ISA_VMX))
            return PTM_NOT_MINE;
        *value = (VMX_MSR_MISC & ~VMX_MISC_PT) | (ptm_config.profile->vmx ? VMX_MISC_PT : 0);
        return PTM_DONE;
    case MSR_IA32_RTIT_OUTPUT_BASE:
        *value = p->msr.output_base;
        return PTM_DONE;
    case MSR_IA32_RTIT_OUTPUT_MASK_PTRS:
        *value = p->msr.output_mask_ptrs;
        return PTM_DONE;
    case MSR_IA32_RTIT_CTL:
        *value = p->msr.ctl;
        return PTM_DONE;
    case MSR_IA32_RTIT_STATUS:
        *value = status_read(p);
        return PTM_DONE;
    case MSR_IA32_RTIT_CR3_MATCH:
        *value = p->msr.cr3_match;
        return PTM_DONE;
    default:
        if (index >= MSR_IA32_RTIT_ADDR0_A && index < MSR_IA32_RTIT_ADDR0_A + 2 * PTM_NR_RANGES) {
            if (!is_range(index))
                return PTM_FAULT;
            *value = p->msr.addr[index - MSR_IA32_RTIT_ADDR0_A];
            return PTM_DONE;
        }
        return PTM_NOT_MINE;
    }
}

/* Table 36-6: the bits that this processor does not reserve. */
static uint64_t ctl_bits_allowed(void)
{
    return RTIT_CTL_TRACE_EN | RTIT_CTL_OS | RTIT_CTL_USER | RTIT_CTL_CR3_FILTER | RTIT_CTL_TOPA | RTIT_CTL_TSC_EN |
           RTIT_CTL_DIS_RETC | RTIT_CTL_BRANCH_EN | RTIT_CTL_PSB_FREQ;
}

static bool ctl_valid(BX_CPU_C *cpu, uint64_t ctl)
{
    const struct ptm_profile *profile = ptm_config.profile;
    uint64_t old = cpu->ptm.msr.ctl;
    if (ctl & ~ctl_bits_allowed())
        return false;
    if ((old & RTIT_CTL_TRACE_EN) && (ctl & RTIT_CTL_TRACE_EN) && ctl != old)
        return false;
    uint32_t psb_freq = (uint32_t)((ctl & RTIT_CTL_PSB_FREQ) >> RTIT_CTL_PSB_FREQ_SHIFT);
    if (psb_freq != 0 && !(profile->cpuid14_1[1] >> 16 & 1u << psb_freq))
        return false;
    if ((ctl & RTIT_CTL_TOPA) && !(profile->cpuid14_0[2] & 1))
        return false;
    if (!(ctl & RTIT_CTL_TRACE_EN))
        return true;
    if (!(ctl & RTIT_CTL_TOPA) && !(profile->cpuid14_0[2] & 4))
        return false;
    return profile->vmx || !cpu->in_vmx; /* 36.5.1 */
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

/* All but IA32_RTIT_CTL: 36.2.7.1, "writes with TraceEn = 1 fault". */
static enum ptm_access config_write(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    struct ptm_cpu *p = &cpu->ptm;
    static const uint64_t STATUS_WRITABLE = RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED | RTIT_STATUS_BYTE_CNT;
    static const uint64_t STATUS_IGNORED = RTIT_STATUS_FILTER_EN | RTIT_STATUS_CONTEXT_EN | RTIT_STATUS_TRIGGER_EN;
    if (p->msr.ctl & RTIT_CTL_TRACE_EN)
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
        if (value & ~(STATUS_WRITABLE | STATUS_IGNORED))
            return PTM_FAULT;
        p->msr.status = value & STATUS_WRITABLE;
        return PTM_DONE;
    case MSR_IA32_RTIT_CR3_MATCH:
        if (value & 0x1f)
            return PTM_FAULT;
        p->msr.cr3_match = value;
        return PTM_DONE;
    default:
        if (!is_range(index))
            return PTM_FAULT;
        p->msr.addr[index - MSR_IA32_RTIT_ADDR0_A] = value;
        return PTM_DONE;
    }
}

enum ptm_access ptm_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (!ptm_config.profile->pt)
        return PTM_NOT_MINE;
    switch (index) {
    case MSR_IA32_BIOS_SIGN_ID:
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS:
        return PTM_FAULT;
    case MSR_IA32_PERF_GLOBAL_CTRL:
        p->msr.perf_global_ctrl = value;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS_RESET:
        p->msr.perf_global_status &= ~value;
        return PTM_DONE;
    case MSR_IA32_RTIT_CTL:
        return ctl_write(cpu, value);
    case MSR_IA32_RTIT_OUTPUT_BASE:
    case MSR_IA32_RTIT_OUTPUT_MASK_PTRS:
    case MSR_IA32_RTIT_STATUS:
    case MSR_IA32_RTIT_CR3_MATCH:
        return config_write(cpu, index, value);
    default:
        if (index >= MSR_IA32_RTIT_ADDR0_A && index < MSR_IA32_RTIT_ADDR0_A + 2 * PTM_NR_RANGES)
            return config_write(cpu, index, value);
        return PTM_NOT_MINE;
    }
}
