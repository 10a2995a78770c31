/* Kind: shell, hot */
#include "vmx/cpu/proc_control.h"

#include "vmx/cpu/vmcs.h"

void proc_control_setup(struct cpu *cpu)
{
    proc_control_of(cpu)->bits = cpu->controls.proc;
    vmwrite32(VMCS_PROC_BASED_CONTROLS, cpu->controls.proc);
}

void proc_control_set(struct cpu *cpu, uint32_t bit, bool on)
{
    const uint32_t before = proc_control_of(cpu)->bits, bits = on ? before | bit : before & ~bit;

    if (bits == before)
        return;
    proc_control_of(cpu)->bits = bits;
    vmwrite32(VMCS_PROC_BASED_CONTROLS, bits);
}
