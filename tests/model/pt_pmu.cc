/*
 * The performance-monitoring unit, as much of it as ToPA PMIs involve.
 *
 * Always there with PT: IA32_PERF_GLOBAL_STATUS, its reset in 390H, and IA32_PERF_GLOBAL_CTRL as plain registers. With
 * the option pmu=VERSION also what an operating system tries before it believes in a PMU: IA32_DEBUGCTL's two freeze
 * bits, and the counters that CPUID.0AH promises. They count instructions retired and cycles (the TSC's: nothing
 * changes the frequency), whatever the privilege level; all other events count nothing, and CPUID says so of the
 * architectural ones. pt_counters.cc counts.
 *
 * Source: SDM Vol. 3B "Architectural Performance Monitoring" (18.2), "Freezing LBR and Performance Counters on PMI"
 * (17.4.7); Vol. 4.
 */
#include "pt_internal.h"

enum {
    MSR_IA32_PMC0 = 0xc1,
    MSR_PLATFORM_INFO = 0xce,
    MSR_IA32_PERFEVTSEL0 = 0x186,
    MSR_IA32_MISC_ENABLE = 0x1a0,
    MSR_IA32_DEBUGCTL = 0x1d9,
    MSR_IA32_FIXED_CTR0 = 0x309,
    MSR_IA32_PERF_CAPABILITIES = 0x345,
    MSR_IA32_FIXED_CTR_CTRL = 0x38d,
    MSR_IA32_PERF_GLOBAL_STATUS = 0x38e,
    MSR_IA32_PERF_GLOBAL_CTRL = 0x38f,
    MSR_IA32_PERF_GLOBAL_STATUS_RESET = 0x390,
    MSR_IA32_PERF_GLOBAL_STATUS_SET = 0x391,
    MSR_IA32_PERF_GLOBAL_INUSE = 0x392,
    MSR_IA32_PEBS_ENABLE = 0x3f1,
    MSR_IA32_DS_AREA = 0x600
};

static const uint64_t DEBUGCTL_FREEZE_LBRS = 1ull << 11;
static const uint64_t DEBUGCTL_FREEZE_PERFMON = 1ull << 12;
static const uint64_t GLOBAL_LBR_FRZ = 1ull << 58;
static const uint64_t GLOBAL_CTRL_BITS = 0x70000000full;
static const uint64_t EVTSEL_BITS = 0xffffffffull;
static const uint64_t FIXED_CTRL_BITS = 0xfffull;

/* IA32_MISC_ENABLE: fast strings, performance monitoring available, BTS and PEBS unavailable, MONITOR. */
static const uint64_t MISC_ENABLE = 1ull << 0 | 1ull << 7 | 1ull << 11 | 1ull << 18;
static const uint64_t MISC_ENABLE_PEBS_UNAVAILABLE = 1ull << 12;
/* IA32_PERF_CAPABILITIES: PEBS is trap-like and saves architectural registers; format 0011b. */
static const uint64_t PERF_CAPABILITIES_PEBS = 1ull << 6 | 1ull << 7 | 3ull << 8;
static const uint64_t PEBS_ENABLE_BITS = 0xf;

static uint32_t version(void)
{
    return ptm_config.pmu_version;
}

/*
 * 36.2.6.2, "ToPA PMI": the freeze settings of IA32_DEBUGCTL apply to it as to other PMIs. 17.4.7: up to version 3 the
 * counters' enables are cleared, from version 4 on bits in the status stop them until 390H clears those.
 */
void ptm_pmu_freeze(BX_CPU_C *cpu)
{
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    if (version() == 0)
        return;
    if (pmu->debugctl & DEBUGCTL_FREEZE_PERFMON) {
        if (version() >= 4)
            pmu->global_status |= PTM_GLOBAL_CTR_FRZ;
        else
            pmu->global_ctrl = 0;
    }
    if ((pmu->debugctl & DEBUGCTL_FREEZE_LBRS) && version() >= 4)
        pmu->global_status |= GLOBAL_LBR_FRZ;
}

void ptm_pmu_topa_pmi(BX_CPU_C *cpu)
{
    ptm_counters_update(cpu);
    cpu->ptm.pmu.global_status |= PERF_GLOBAL_TOPA_PMI;
    ptm_pmu_freeze(cpu);
}

/* 27.5.1, "Loading Host Control Registers, Debug Registers, MSRs": VM exits clear IA32_DEBUGCTL. */
void ptm_pmu_vmexit(BX_CPU_C *cpu)
{
    cpu->ptm.pmu.debugctl = 0;
}

/* Appendix A.4: VM exits of the processors with this model's PMU load IA32_PERF_GLOBAL_CTRL but do not save it. */
void ptm_pmu_vmx_init(BX_CPU_C *cpu)
{
    if (version() != 0)
        cpu->vmx_cap.vmx_vmexit_ctrl1_supported_bits &= ~VMX_VMEXIT_CTRL1_SAVE_PERF_GLOBAL_CTRL;
}

/* "Checks on Guest Control Registers, Debug Registers, and MSRs": the bits that the MSR reserves. */
bool ptm_pmu_vmentry_valid(BX_CPU_C *cpu)
{
    if (version() == 0 || !cpu->vmcs.vmentry_ctrls.LOAD_PERF_GLOBAL_CTRL_MSR() ||
        !(cpu->VMread64(VMCS_64BIT_GUEST_IA32_PERF_GLOBAL_CTRL) & ~GLOBAL_CTRL_BITS))
        return true;
    cpu->error("VMENTER FAIL: IA32_PERF_GLOBAL_CTRL has reserved bits");
    return false;
}

void ptm_pmu_vmx_load(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (version() == 0)
        return;
    if (p->in_vm_exit && cpu->vmcs.vmexit_ctrls1.LOAD_PERF_GLOBAL_CTRL_MSR()) {
        ptm_counters_update(cpu);
        p->pmu.global_ctrl = cpu->VMread64(VMCS_64BIT_HOST_IA32_PERF_GLOBAL_CTRL);
        ptm_counters_schedule(cpu);
    } else if (p->in_vm_entry && !p->in_vm_exit && cpu->vmcs.vmentry_ctrls.LOAD_PERF_GLOBAL_CTRL_MSR()) {
        ptm_counters_update(cpu);
        p->pmu.global_ctrl = cpu->VMread64(VMCS_64BIT_GUEST_IA32_PERF_GLOBAL_CTRL);
        ptm_counters_schedule(cpu);
    }
}

/* IA32_PERF_GLOBAL_INUSE: event-select fields that are not 0, fixed counters that are enabled. 18.2.4.3. */
static uint64_t in_use(const struct ptm_pmu *pmu)
{
    uint64_t bits = 0;
    for (uint32_t n = 0; n < PTM_PMU_COUNTERS; n++)
        bits |= (uint64_t)((pmu->evtsel[n] & 0xff) != 0) << n;
    for (uint32_t n = 0; n < PTM_PMU_FIXED; n++)
        bits |= (uint64_t)((pmu->fixed_ctrl >> 4 * n & 3) != 0) << (32 + n);
    return bits;
}

/* Bits 15:8: the ratio at which the TSC runs, as CPUID.16H reports it in units of 100 MHz. */
static uint64_t platform_info(BX_CPU_C *cpu)
{
    struct cpuid_function_t frequency = {0, 0, 0, 0};
    cpu->cpuid->get_cpuid_leaf(0x16, 0, &frequency);
    return (uint64_t)((frequency.eax & 0xffff) / 100 & 0xff) << 8;
}

/* The register that is one counter, select or fixed counter; NULL: index is none of these. */
static uint64_t *bank_register(struct ptm_pmu *pmu, uint32_t index)
{
    if (index - MSR_IA32_PMC0 < PTM_PMU_COUNTERS)
        return &pmu->counter[index - MSR_IA32_PMC0];
    if (index - MSR_IA32_PERFEVTSEL0 < PTM_PMU_COUNTERS)
        return &pmu->evtsel[index - MSR_IA32_PERFEVTSEL0];
    if (index - MSR_IA32_FIXED_CTR0 < PTM_PMU_FIXED)
        return &pmu->fixed[index - MSR_IA32_FIXED_CTR0];
    return NULL;
}

static enum ptm_access optional_rdmsr(BX_CPU_C *cpu, uint32_t index, uint64_t *value)
{
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    const uint64_t *bank = bank_register(pmu, index);
    if (bank) {
        ptm_counters_update(cpu);
        *value = *bank;
        return PTM_DONE;
    }
    switch (index) {
    case MSR_IA32_MISC_ENABLE:
        *value = MISC_ENABLE | (ptm_config.pebs ? 0 : MISC_ENABLE_PEBS_UNAVAILABLE);
        return PTM_DONE;
    case MSR_IA32_DEBUGCTL:
        *value = pmu->debugctl;
        return PTM_DONE;
    case MSR_IA32_PERF_CAPABILITIES:
        *value = ptm_config.pebs ? PERF_CAPABILITIES_PEBS : 0;
        return PTM_DONE;
    case MSR_IA32_PEBS_ENABLE:
        *value = pmu->pebs_enable;
        return ptm_config.pebs ? PTM_DONE : PTM_FAULT;
    case MSR_IA32_DS_AREA:
        *value = pmu->ds_area;
        return ptm_config.pebs ? PTM_DONE : PTM_FAULT;
    case MSR_IA32_FIXED_CTR_CTRL:
        *value = pmu->fixed_ctrl;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS_SET:
        *value = 0;
        return version() >= 4 ? PTM_DONE : PTM_FAULT;
    case MSR_IA32_PERF_GLOBAL_INUSE:
        *value = in_use(pmu);
        return version() >= 4 ? PTM_DONE : PTM_FAULT;
    default:
        return PTM_NOT_MINE;
    }
}

enum ptm_access ptm_pmu_rdmsr(BX_CPU_C *cpu, uint32_t index, uint64_t *value)
{
    switch (index) {
    case MSR_PLATFORM_INFO:
        *value = platform_info(cpu);
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS:
        *value = cpu->ptm.pmu.global_status;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_CTRL:
        *value = cpu->ptm.pmu.global_ctrl;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS_RESET:
        *value = 0;
        return PTM_DONE;
    default:
        return version() != 0 ? optional_rdmsr(cpu, index, value) : PTM_NOT_MINE;
    }
}

/* Write what has no bits outside mask. */
static enum ptm_access masked_write(uint64_t *reg, uint64_t value, uint64_t mask)
{
    if (value & ~mask)
        return PTM_FAULT;
    *reg = value;
    return PTM_DONE;
}

static enum ptm_access optional_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    uint64_t *bank = bank_register(pmu, index);
    if (bank && index - MSR_IA32_PERFEVTSEL0 < PTM_PMU_COUNTERS)
        return masked_write(bank, value, EVTSEL_BITS);
    if (bank && index - MSR_IA32_PMC0 < PTM_PMU_COUNTERS) {
        *bank = (uint64_t)(int64_t)(int32_t)value & PTM_COUNTER_BITS; /* 18.2.5: without full-width writes */
        return PTM_DONE;
    }
    if (bank)
        return masked_write(bank, value, PTM_COUNTER_BITS);
    switch (index) {
    case MSR_IA32_MISC_ENABLE:
        return PTM_DONE; /* what it has stays */
    case MSR_IA32_DEBUGCTL:
        pmu->debugctl = value & (DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON);
        return PTM_DONE;
    case MSR_IA32_FIXED_CTR_CTRL:
        return masked_write(&pmu->fixed_ctrl, value, FIXED_CTRL_BITS);
    case MSR_IA32_PEBS_ENABLE:
        return ptm_config.pebs ? masked_write(&pmu->pebs_enable, value, PEBS_ENABLE_BITS) : PTM_FAULT;
    case MSR_IA32_DS_AREA:
        return ptm_config.pebs ? masked_write(&pmu->ds_area, value, ~7ull) : PTM_FAULT;
    case MSR_IA32_PERF_GLOBAL_STATUS_SET:
        if (version() < 4)
            return PTM_FAULT;
        pmu->global_status |= value;
        return PTM_DONE;
    case MSR_IA32_PERF_CAPABILITIES:
    case MSR_IA32_PERF_GLOBAL_INUSE:
        return PTM_FAULT;
    default:
        return PTM_NOT_MINE;
    }
}

static enum ptm_access write(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    switch (index) {
    case MSR_PLATFORM_INFO:
    case MSR_IA32_PERF_GLOBAL_STATUS:
        return PTM_FAULT;
    case MSR_IA32_PERF_GLOBAL_CTRL:
        if (version() != 0)
            return masked_write(&pmu->global_ctrl, value, GLOBAL_CTRL_BITS);
        pmu->global_ctrl = value;
        return PTM_DONE;
    case MSR_IA32_PERF_GLOBAL_STATUS_RESET:
        pmu->global_status &= ~value;
        return PTM_DONE;
    default:
        return version() != 0 ? optional_wrmsr(cpu, index, value) : PTM_NOT_MINE;
    }
}

enum ptm_access ptm_pmu_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    if (version() == 0)
        return write(cpu, index, value);
    ptm_counters_update(cpu);
    enum ptm_access access = write(cpu, index, value);
    if (access == PTM_DONE)
        ptm_counters_schedule(cpu);
    return access;
}

/* RDPMC's selector: bit 30 for the fixed counters, the number below (Vol. 2, "RDPMC"). */
enum ptm_access ptm_rdpmc(BX_CPU_C *cpu, uint32_t selector, uint64_t *value)
{
    static const uint32_t FIXED = 1u << 30;
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    if (!ptm_config.profile->pt || version() == 0)
        return PTM_NOT_MINE;
    uint32_t number = selector & ~FIXED;
    if (number >= (selector & FIXED ? PTM_PMU_FIXED : PTM_PMU_COUNTERS))
        return PTM_FAULT;
    ptm_counters_update(cpu);
    *value = selector & FIXED ? pmu->fixed[number] : pmu->counter[number];
    return PTM_DONE;
}

/* CPUID.0AH: the version asked for, four counters and three fixed ones of 48 bits, and of the architectural events
 * instructions and the two kinds of cycles. Figure 18-... of 18.2.1.1 has the fields. */
void ptm_pmu_cpuid(struct cpuid_function_t *regs)
{
    if (version() == 0)
        return;
    regs->eax = version() | PTM_PMU_COUNTERS << 8 | 48u << 16 | 7u << 24;
    regs->ebx = 0x78;
    regs->ecx = 0;
    regs->edx = PTM_PMU_FIXED | 48u << 5;
}
