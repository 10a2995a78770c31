/* Kind: shell, hot */
/* VM exits: from reason to handler. Only the dispatcher moves RIP. */
#include "vmx/cpu.h"
#include "vmx/summons.h"
#include "vmx/vmcs.h"

#include "base/msr.h"

#define ENTRY_FAILURE (1u << 31)

static enum exit_action cpuid_exit(struct cpu *cpu)
{
    struct guest_registers *r = &cpu->registers;
    const uint32_t leaf = cpuid_effective_leaf((uint32_t)r->rax, cpu->cpuid_limits), subleaf = (uint32_t)r->rcx;
    struct cpuid_guest guest = {0};

    if (cpuid_needs_guest(leaf))
        guest = (struct cpuid_guest){.cr4 = guest_cr4_seen(), .code64 = guest_code64()};
    const struct cpuid_regs real = cpuid_read(leaf, subleaf);
    const struct cpuid_values v =
        cpuid_policy_apply(leaf, subleaf, (struct cpuid_values){real.eax, real.ebx, real.ecx, real.edx}, &guest);
    r->rax = v.eax;
    r->rbx = v.ebx;
    r->rcx = v.ecx;
    r->rdx = v.edx;
    return EXIT_ADVANCE;
}

/* VMX and SMX instructions do not exist on a CPU whose CPUID shows neither. */
static enum exit_action undefined_exit(struct cpu *cpu)
{
    (void)cpu;
    return guest_inject_exception(VECTOR_UD);
}

/* INVD would drop what root mode has written and not stored yet: WBINVD instead. */
static enum exit_action invd_exit(struct cpu *cpu)
{
    (void)cpu;
    __asm__ volatile("wbinvd" : : : "memory");
    return EXIT_ADVANCE;
}

static exit_handler *const handlers[NR_EXIT_REASONS] = {
    [EXIT_REASON_EXCEPTION_OR_NMI] = nmi_exit, /* page faults too */
    [EXIT_REASON_TRIPLE_FAULT] = triple_fault_exit,
    [EXIT_REASON_INIT_SIGNAL] = init_exit,
    [EXIT_REASON_SIPI] = sipi_exit,
    [EXIT_REASON_NMI_WINDOW] = nmi_window_exit,
    [EXIT_REASON_TASK_SWITCH] = task_switch_exit,
    [EXIT_REASON_CPUID] = cpuid_exit,
    [EXIT_REASON_GETSEC] = undefined_exit,
    [EXIT_REASON_INVD] = invd_exit,
    [EXIT_REASON_VMCALL] = vmcall_exit,
    [EXIT_REASON_VMCLEAR] = undefined_exit,
    [EXIT_REASON_VMLAUNCH] = undefined_exit,
    [EXIT_REASON_VMPTRLD] = undefined_exit,
    [EXIT_REASON_VMPTRST] = undefined_exit,
    [EXIT_REASON_VMREAD] = undefined_exit,
    [EXIT_REASON_VMRESUME] = undefined_exit,
    [EXIT_REASON_VMWRITE] = undefined_exit,
    [EXIT_REASON_VMXOFF] = undefined_exit,
    [EXIT_REASON_VMXON] = undefined_exit,
    [EXIT_REASON_CONTROL_REGISTER_ACCESSES] = cr_access_exit,
    [EXIT_REASON_IO_INSTRUCTION] = io_exit,
    [EXIT_REASON_RDMSR] = rdmsr_exit,
    [EXIT_REASON_WRMSR] = wrmsr_exit,
    [EXIT_REASON_MONITOR_TRAP_FLAG] = step_exit,
    [EXIT_REASON_EPT_VIOLATION] = ept_violation_exit,
    [EXIT_REASON_INVEPT] = undefined_exit,
    [EXIT_REASON_INVVPID] = undefined_exit,
    [EXIT_REASON_PREEMPTION_TIMER_EXPIRED] = timer_exit,
    [EXIT_REASON_XSETBV] = xsetbv_exit,
    [EXIT_REASON_VMFUNC] = undefined_exit,
};

/* From the end of an exit's handling to VM entry. What other CPUs have asked for comes first, what switches tracing on
 * last; where another CPU has called meanwhile, all of it once more. */
void vmx_enter_guest(struct cpu *cpu)
{
    if (machine.config.look)
        machine.config.look();
    for (;;) {
        if (cpu->summons_served != __atomic_load_n(&machine.summons, __ATOMIC_RELAXED))
            summons_serve(cpu);
        if (cpu->nmis_in_root | cpu->nmis_pending)
            nmi_deliver(cpu);
        if (!cpu->timer_steady)
            timer_before_entry(cpu);
        trace_switch_enter(cpu);
        if (summons_enter_guest(cpu))
            return;
        pt_exit(cpu->pt);
    }
}

/* A VM entry that failed for what soft PT wanted of it is tried again without. */
__attribute__((cold, noinline)) static void exit_without_handler(struct cpu *cpu, uint32_t reason)
{
    if (reason != (ENTRY_FAILURE | EXIT_REASON_ENTRY_FAILURE_GUEST_STATE) || !soft_hold_refused(&cpu->soft))
        fail_stop(cpu, "a VM exit that nobody handles");
    vmx_enter_guest(cpu);
}

static void exit_handle(struct cpu *cpu, uint32_t basic)
{
    if (cpu->proc_controls & PROC_MONITOR_TRAP_FLAG) {
        if (cpu->soft.on)
            soft_step_leave(cpu, basic == EXIT_REASON_MONITOR_TRAP_FLAG);
        step_leave(cpu, basic);
    }
    if (machine_has_others()) /* behind what soft PT has to say of the instruction before */
        summons_pages_seen(cpu);
    if (cpu->nr_faults)
        page_faults_look(cpu);

    switch (handlers[basic](cpu)) {
    case EXIT_ADVANCE:
        guest_advance_rip();
        break;
    case EXIT_RETRY:
        guest_redeliver();
        break;
    case EXIT_INJECTED:
        break;
    case EXIT_WAIT_FOR_SIPI:
        startup_wait(cpu);
        summons_init_taken(cpu);
        return;
    }
    vmx_enter_guest(cpu);
}

void vmx_exit_dispatch(struct guest_registers *registers)
{
    struct cpu *cpu = cpu_of(registers);

    pt_exit(cpu->pt);
    const uint32_t reason = vmread32(VMCS_EXIT_REASON);
    const uint32_t basic = reason & 0xffff;
    if (machine_has_others())
        summons_leave_guest(cpu);
    if (basic >= NR_EXIT_REASONS) {
        exit_without_handler(cpu, reason);
        return;
    }
    cpu->exits[basic]++;
    cpu->exit_tsc[basic] -= tsc_read();
    if ((reason & ENTRY_FAILURE) || !handlers[basic])
        exit_without_handler(cpu, reason);
    else
        exit_handle(cpu, basic);
    cpu->exit_tsc[basic] += tsc_read();
}

/* An NMI was counted just before VMRESUME. A CPU that waits for SIPI has none. */
void vmx_nmi_before_entry(struct guest_registers *registers)
{
    struct cpu *cpu = cpu_of(registers);
    const enum cpu_place place = __atomic_load_n(&cpu->place, __ATOMIC_RELAXED);

    if (place == CPU_WAITS_FOR_SIPI || place == CPU_SPOKEN_FOR) {
        cpu->nmis_in_root = 0;
        return;
    }
    pt_exit(cpu->pt);
    summons_leave_guest(cpu);
    nmi_deliver(cpu);
    vmx_enter_guest(cpu);
}
