/* Kind: shell, init */
#include "vmx/cpu/mitigations.h"

#include "base/log.h"
#include "base/msr.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/entry.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/measures.h"
#include "vmx/cpu/vmcs.h"

static struct mitigation_caps caps_read(void)
{
    struct mitigation_caps caps = {0};

    if (cpuid_read(0, 0).eax >= 7)
        caps.cpuid_7_edx = cpuid_read(7, 0).edx;
    if (caps.cpuid_7_edx & CPUID_7_EDX_ARCH_CAPABILITIES)
        caps.arch_capabilities = msr_read(IA32_ARCH_CAPABILITIES);
    return caps;
}

static void measures_log(const char *what, uint16_t measures)
{
    log_line("mitigations=on: %s:%s%s%s%s", what, measures & MEASURE_RSB ? " RSB" : "",
             measures & MEASURE_IBRS ? " IBRS" : "", measures & MEASURE_L1D_FLUSH ? " L1D_FLUSH" : "",
             measures & MEASURE_VERW ? " VERW" : "");
}

/* CPUs of one machine can differ: the first one's measures are logged, and what each one lacks. */
static void measures_take(struct cpu *cpu)
{
    const struct mitigation_caps caps = caps_read();
    uint16_t missing;

    cpu->measures = measures_of(&caps, &missing);
    if (cpu->number == 0)
        measures_log("at each VM exit and entry", cpu->measures);
    if (missing)
        measures_log("load newer microcode by the firmware, this CPU lacks", missing);
}

void mitigations_setup(struct cpu *cpu)
{
    if (!machine.config.mitigations)
        return;
    measures_take(cpu);
    __asm__ volatile("mov %%ds, %0" : "=r"(cpu->verw_selector));
    if (cpu->measures & MEASURE_IBRS)
        cpu->guest_spec_ctrl = msr_read(IA32_SPEC_CTRL);
    vmwriten(VMCS_HOST_RIP, (uint64_t)(uintptr_t)vmx_exit_entry_mitigated);
}
