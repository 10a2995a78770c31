/* Kind: shell, hot */
/* VM exits: from the basic exit reason to the handler, and back into the guest. Only this file moves RIP; and
 * bios_call.c, past a call of the BIOS. */
#include "vmx/exit/exit.h"

#include "base/control.h"
#include "vmx/apic/guest_ipi.h"
#include "vmx/apic/ipi.h"
#include "vmx/code/code.h"
#include "vmx/cpu/entry.h"
#include "vmx/cpu/exit_counts.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/proc_control.h"
#include "vmx/cpu/timer.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/step.h"
#include "vmx/ept/view.h"
#include "vmx/exit/bios_call.h"
#include "vmx/exit/cpuid.h"
#include "vmx/exit/cr.h"
#include "vmx/exit/handlers.h"
#include "vmx/exit/msr.h"
#include "vmx/exit/poll.h"
#include "vmx/exit/startup.h"
#include "vmx/exit/trace_switch.h"
#include "vmx/guest/guest.h"
#include "vmx/nmi/nmi.h"
#include "vmx/smp/kick.h"
#include "vmx/smp/power.h"
#include "vmx/smp/requests.h"
#include "vmx/soft/soft.h"

#define ENTRY_FAILURE (1u << 31)

/* VMX, SMX and other instructions do not exist on a CPU whose CPUID does not show them: only a guest that ignores it
 * executes them. SEAMCALL and TDCALL exit even though no control enables them. */
static enum exit_action undefined_exit(struct cpu *cpu)
{
    (void)cpu;
    return guest_inject_exception(VECTOR_UD);
}

/* WBINVD: INVD would discard what root mode has in the caches. */
static enum exit_action invd_exit(struct cpu *cpu)
{
    (void)cpu;
    __asm__ volatile("wbinvd" : : : "memory");
    return EXIT_ADVANCE;
}

/* A new handler is a line here, and a file with a header of its own (docs/extending.md). An exit without a handler is a
 * fail-stop. */
static exit_handler *const handlers[NR_EXIT_REASONS] = {
    [EXIT_REASON_EXCEPTION_OR_NMI] = exception_exit,
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
    [EXIT_REASON_SEAMCALL] = undefined_exit,
    [EXIT_REASON_TDCALL] = undefined_exit,
    [EXIT_REASON_RDMSRLIST] = undefined_exit,
    [EXIT_REASON_WRMSRLIST] = undefined_exit,
    [EXIT_REASON_URDMSR] = undefined_exit,
    [EXIT_REASON_UWRMSR] = undefined_exit,
    [EXIT_REASON_RDMSR_IMM] = undefined_exit,
    [EXIT_REASON_WRMSRNS_IMM] = undefined_exit,
};

/* What other CPUs have requested. The EPT first: records that are sent for other requests come after RECORD_SEEN. Not
 * inline: every VM entry would pay for the registers that it saves. */
__attribute__((cold, noinline)) static void others_serve(struct cpu *cpu)
{
    kick_serving(cpu);
    if (kick_by_timer())
        timer_recheck(cpu);
    if (kick_ept_follow(cpu)) {
        step_follow_pages(cpu);
        ept_invalidate(cpu);
        code_publish_seen(cpu);
        lapic_resend_init(cpu);
    }
    nmis_sent(cpu, guest_ipi_take_nmis(cpu));
    requests_serve(cpu);
}

/* From the end of an exit's handling to VM entry. Other CPUs' requests are served first; what switches tracing on comes
 * last. If another CPU has requested something meanwhile, all is done once more. */
static void enter_guest(struct cpu *cpu)
{
    if (machine.config.each_exit)
        machine.config.each_exit();
    for (;;) {
        if (kick_is_requested(cpu))
            others_serve(cpu);
        if (nmi_is_due(cpu))
            nmi_deliver(cpu);
        if (!timer_is_steady(cpu))
            poll_before_entry(cpu);
        trace_switch_enter(cpu);
        if (kick_enter_guest(cpu))
            break;
        pt_exit(cpu->pt);
    }
    if (code_has_turn(cpu) && kick_guest_executes(cpu))
        code_entering(cpu);
}

static void wait_for_sipi(struct cpu *cpu)
{
    if (code_has_turn(cpu))
        code_entering(cpu);
    startup_wait(cpu);
}

/* A VM entry that failed because of what soft PT wrote for it is tried again without that. */
__attribute__((cold, noinline)) static void exit_without_handler(struct cpu *cpu, uint32_t reason)
{
    if (reason != (ENTRY_FAILURE | EXIT_REASON_ENTRY_FAILURE_GUEST_STATE) || !soft_entry_refused(cpu))
        fail_stop(cpu, "no handler for a VM exit");
    enter_guest(cpu);
}

/* Not 64-bit code, whose segment is flat. */
static bool is_without_l(void)
{
    return !(vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_L);
}

static void exit_handle(struct cpu *cpu, uint32_t basic)
{
    if (proc_control_is_set(cpu, PROC_MONITOR_TRAP_FLAG)) {
        if (soft_is_stepping(cpu))
            soft_leave(cpu, basic == EXIT_REASON_MONITOR_TRAP_FLAG);
        step_leave(cpu, basic);
    }
    /* A program that other CPUs have sent records of may run here next. After soft PT's packets for the last step. */
    if (machine_has_others() && machine.config.map_memory)
        code_publish_seen(cpu);
    if (code_has_faults(cpu))
        code_check_faults(cpu);

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
        wait_for_sipi(cpu);
        requests_init_taken(cpu);
        return;
    }
    if (code_segments_look(cpu) || (basic != EXIT_REASON_EXCEPTION_OR_NMI && is_without_l())) {
        bios_call_check(cpu);
        code_segments_check(cpu);
    }
    enter_guest(cpu);
}

void vmx_exit_dispatch(struct guest_registers *registers)
{
    struct cpu *cpu = cpu_of(registers);

    pt_exit(cpu->pt);
    const uint32_t reason = vmread32(VMCS_EXIT_REASON);
    const uint32_t basic = reason & 0xffff;
    if (machine_has_others())
        kick_exited(cpu, basic == EXIT_REASON_INIT_SIGNAL);
    if (basic >= NR_EXIT_REASONS) {
        exit_without_handler(cpu, reason);
        return;
    }
    exit_counts_begin(cpu, basic);
    if ((reason & ENTRY_FAILURE) || !handlers[basic])
        exit_without_handler(cpu, reason);
    else
        exit_handle(cpu, basic);
    exit_counts_end(cpu, basic);
}

void vmx_nmi_before_entry(struct guest_registers *registers)
{
    struct cpu *cpu = cpu_of(registers);

    if (kick_waits_for_sipi(cpu)) {
        nmi_keep_counted(cpu);
        return;
    }
    pt_exit(cpu->pt);
    kick_leave_guest(cpu);
    nmi_deliver(cpu);
    enter_guest(cpu);
}

void exit_setup(struct cpu *cpu)
{
    cpuid_setup(cpu);
    msr_setup(cpu);
    trace_switch_setup(cpu);
    cr3_watch(cpu);
    code_setup();
    poll_setup(cpu);
}

_Noreturn void vmx_start(struct cpu *cpu, bool first)
{
    if (first)
        enter_guest(cpu);
    else
        wait_for_sipi(cpu);
    vmx_launch(&cpu->registers);
}
