/* Kind: shell */
/*
 * CPUs start and wait as the guest's INIT and SIPI say.
 *
 * An INIT exits from non-root operation and does nothing else; a SIPI is dropped unless it finds a CPU in the wait-for-
 * SIPI state. So behind an INIT root does nothing but enter that state: what the guest sends some microseconds later
 * must find it there. Nothing is executed in it, so that tracing is not set up either. What INIT does to a CPU is done
 * when the SIPI comes.
 *
 * Source: SDM "Other Causes of VM Exits", "VMX Support for Processor Operating Modes, INIT"; Vol. 3A "Processor State
 * After Reset"; "MP Initialization Protocol Algorithm for MP Systems".
 */
#include "base/control.h"
#include "base/log.h"
#include "vmx/cpu.h"
#include "vmx/turns.h"
#include "vmx/vmcs.h"

#define ACTIVITY_ACTIVE 0u
#define ACTIVITY_WAIT_FOR_SIPI 3u

#define REAL_MODE_STEPS 1000u
#define DR6_AFTER_INIT 0xffff0ff0ull

/* "Checks on Guest Non-Register State": no event is injected into this state, and nothing else may be pending. What was
 * pending for the guest ends with INIT. */
void startup_wait(struct cpu *cpu)
{
    step_cancel(cpu);
    if (cpu->turn)
        turn_begin(cpu);
    cpu->nmis_pending = 0;
    cpu_set_proc_control(cpu, PROC_NMI_WINDOW_EXITING, false);
    vmwrite32(VMCS_ENTRY_INTERRUPTION_INFORMATION, 0);
    vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, 0);
    vmwriten(VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS, 0);
    vmwrite32(VMCS_GUEST_ACTIVITY_STATE, ACTIVITY_WAIT_FOR_SIPI);
    timer_run(cpu, false);
    trace_switch_off(cpu);
    pt_park(cpu->pt);
    __atomic_store_n(&cpu->place, CPU_WAITS_FOR_SIPI, __ATOMIC_SEQ_CST);
}

/* The manual leaves open whether an INIT that comes in the wait-for-SIPI state is dropped, or stays pending until that
 * is left. A CPU that has not executed anything since its SIPI is as an INIT and that SIPI would leave it. */
static bool is_as_started(struct cpu *cpu)
{
    const bool just_started = cpu->just_started;

    cpu->just_started = false;
    return just_started && vmreadn(VMCS_GUEST_RIP) == 0;
}

static _Noreturn void reset_by_init(struct cpu *cpu)
{
    log_line("INIT on CPU %u: the machine is reset", cpu->number);
    power_reset(cpu);
}

enum exit_action init_exit(struct cpu *cpu)
{
    const bool kick = cpu->init_pending, guest = __atomic_exchange_n(&cpu->guest_init, false, __ATOMIC_SEQ_CST);

    cpu->init_pending = false; /* vmx/summons.h */
    if (kick && !guest)
        return EXIT_RETRY;
    if (is_as_started(cpu))
        return EXIT_RETRY;
    if (cpu->number == 0) /* the bootstrap processor starts its firmware anew */
        reset_by_init(cpu);
    return EXIT_WAIT_FOR_SIPI;
}

/* What the VMCS does not hold. */
static void registers_after_init(struct cpu *cpu)
{
    cpu->registers = (struct guest_registers){.rdx = cpuid_read(1, 0).eax};
    __asm__ volatile("mov %0, %%cr2\n\tmov %0, %%dr0\n\tmov %0, %%dr1\n\tmov %0, %%dr2\n\tmov %0, %%dr3\n\t"
                     "mov %1, %%dr6"
                     :
                     : "r"(0ull), "r"(DR6_AFTER_INIT));
}

/* A CPU starts in real mode, where packets tell IPs in code segments that change by far jumps, within a page. So its
 * first instructions are stepped, and each new base is told of, until it has left that mode. */
static void startup_stepped(struct cpu *cpu, bool broken_off)
{
    const uint64_t base = vmreadn(VMCS_GUEST_CS_BASE);

    (void)broken_off;
    if ((vmreadn(VMCS_GUEST_CR0) & CR0_PE) || cpu->start_steps-- == 0)
        return;
    if (base != cpu->start_base)
        code_page_rebased(cpu);
    cpu->start_base = base;
    step_begin(cpu, startup_stepped);
}

static void startup_watch(struct cpu *cpu, uint64_t base)
{
    if (!machine.config.code_pages)
        return;
    cpu->start_steps = REAL_MODE_STEPS;
    cpu->start_base = base;
    step_begin(cpu, startup_stepped);
}

enum exit_action sipi_exit(struct cpu *cpu)
{
    const uint64_t vector = vmreadn(VMCS_EXIT_QUALIFICATION) & 0xff;

    __atomic_store_n(&cpu->guest_init, false, __ATOMIC_SEQ_CST); /* the SIPI's sender has no INIT to send again */
    pt_unpark(cpu->pt);
    timer_run(cpu, true);
    vmcs_setup_guest_init(cpu, (vmreadn(VMCS_GUEST_CR0) & (CR0_CD | CR0_NW)) | CR0_ET);
    registers_after_init(cpu);
    lapic_reset(cpu);
    vmwrite16(VMCS_GUEST_CS_SELECTOR, (uint16_t)(vector << 8));
    vmwriten(VMCS_GUEST_CS_BASE, vector << 12);
    vmwriten(VMCS_GUEST_RIP, 0);
    vmwrite32(VMCS_GUEST_ACTIVITY_STATE, ACTIVITY_ACTIVE);
    cpu->just_started = true;
    startup_watch(cpu, vector << 12);
    return EXIT_INJECTED;
}

_Noreturn void cpu_start(struct cpu *cpu, bool first)
{
    if (first)
        vmx_enter_guest(cpu);
    else
        startup_wait(cpu);
    vmx_launch(&cpu->registers);
}
