/*
 * Firmware that hands the machine over in x2APIC mode, and CPUs that are locked in it.
 *
 * Source: SDM "Local x2APIC State Transitions"; Vol. 4, IA32_ARCH_CAPABILITIES[21] (XAPIC_DISABLE_STATUS),
 * IA32_XAPIC_DISABLE_STATUS[0] (LEGACY_XAPIC_DISABLED); CPUID.(7,0):EDX[29].
 */
#include "pt_internal.h"

#include "cpu/apic.h"

enum { MSR_IA32_APIC_BASE = 0x1b, MSR_IA32_XAPIC_DISABLE_STATUS = 0xbd, MSR_IA32_ARCH_CAPABILITIES = 0x10a };

static const uint32_t APIC_EXTD = 1 << 10, APIC_EN = 1 << 11;
static const uint64_t ARCH_CAPABILITIES_XAPIC_DISABLE = 1 << 21, LEGACY_XAPIC_DISABLED = 1;
static const uint32_t CPUID_7_EDX_ARCH_CAPABILITIES = 1u << 29;

/* What firmware programs for itself and leaves to the OS: the local APIC software-enabled; on the bootstrap processor
 * the 8259's interrupts; everywhere NMIs; thermal events as SMIs. */
void ptm_apic_hand_over(void)
{
    static const uint32_t SVR = 0x1ff, LINT_MASKED = 0x10700, LINT_EXTINT = 0x700, LINT_NMI = 0x400, SMI = 0x200;
    for (unsigned n = 0; n < BX_SMP_PROCESSORS; n++) {
        BX_CPU_C *cpu = BX_CPU(n);
        cpu->lapic->write_aligned(BX_LAPIC_SPURIOUS_VECTOR, SVR);
        cpu->lapic->write_aligned(BX_LAPIC_LVT_LINT0, n == 0 ? LINT_EXTINT : LINT_MASKED);
        cpu->lapic->write_aligned(BX_LAPIC_LVT_LINT1, LINT_NMI);
        cpu->lapic->write_aligned(BX_LAPIC_LVT_THERMAL, SMI);
        cpu->msr.apicbase |= APIC_EXTD | APIC_EN;
        cpu->lapic->set_base(cpu->msr.apicbase);
        cpu->TLB_flush();
    }
}

static bool is_locked(const BX_CPU_C *cpu)
{
    return ptm_config.x2apic == PTM_X2APIC_LOCKED || (ptm_config.x2apic == PTM_X2APIC_LOCKED_APS && cpu->bx_cpuid != 0);
}

void ptm_apic_cpuid(const BX_CPU_C *cpu, uint32_t leaf, uint32_t subleaf, struct cpuid_function_t *regs)
{
    if (is_locked(cpu) && leaf == 7 && subleaf == 0)
        regs->edx |= CPUID_7_EDX_ARCH_CAPABILITIES;
}

bool ptm_apic_rdmsr(const BX_CPU_C *cpu, uint32_t index, uint64_t *value)
{
    if (!is_locked(cpu))
        return false;
    if (index == MSR_IA32_ARCH_CAPABILITIES)
        *value = ARCH_CAPABILITIES_XAPIC_DISABLE;
    else if (index == MSR_IA32_XAPIC_DISABLE_STATUS)
        *value = LEGACY_XAPIC_DISABLED;
    else
        return false;
    return true;
}

bool ptm_apic_wrmsr(const BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    return !is_locked(cpu) || index != MSR_IA32_APIC_BASE || !(cpu->msr.apicbase & APIC_EXTD) ||
           (value & APIC_EXTD) != 0;
}
