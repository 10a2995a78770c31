/* Kind: shell */
/*
 * CPUs start and wait as the guest's INIT and SIPI ask.
 *
 * In non-root operation an INIT causes a VM exit and has no other effect; a SIPI is dropped unless the CPU is in the
 * wait-for-SIPI state. So after an INIT root mode only enters that state: the SIPI that the guest sends some
 * microseconds later must find the CPU in it. Nothing is executed there, so tracing is not set up either. The effects
 * of INIT on the CPU are brought about when the SIPI comes.
 *
 * Source: SDM "Other Causes of VM Exits", "VMX Support for Processor Operating Modes, INIT"; Vol. 3A "Processor State
 * After Reset"; "MP Initialization Protocol Algorithm for MP Systems".
 */
#include "vmx/exit/startup.h"

#include "vmx/exit/handlers.h"

#include "base/control.h"
#include "base/log.h"
#include "vmx/apic/guest_ipi.h"
#include "vmx/apic/ipi.h"
#include "vmx/apic/lapic.h"
#include "vmx/code/code.h"
#include "vmx/cpu/timer.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/step.h"
#include "vmx/exit/trace_switch.h"
#include "vmx/nmi/nmi.h"
#include "vmx/smp/kick.h"
#include "vmx/smp/power.h"
#include "vmx/vmcs/setup.h"

#define ACTIVITY_ACTIVE 0u
#define ACTIVITY_WAIT_FOR_SIPI 3u

/* Only its own CPU touches it. */
struct startup_cpu {
    bool just_started; /* by a SIPI, with nothing executed since */
};
CPU_STATE(startup)

#define DR6_AFTER_INIT 0xffff0ff0ull

/* SDM "Checks on Guest Non-Register State": in this state no event may be injected, and none be pending. INIT has
 * discarded the guest's. */
void startup_wait(struct cpu *cpu)
{
    step_cancel(cpu);
    nmi_drop_pending(cpu);
    (void)guest_ipi_take_nmis(cpu);
    vmwrite32(VMCS_ENTRY_INTERRUPTION_INFORMATION, 0);
    vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, 0);
    vmwriten(VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS, 0);
    vmwrite32(VMCS_GUEST_ACTIVITY_STATE, ACTIVITY_WAIT_FOR_SIPI);
    timer_run(cpu, false);
    trace_switch_off(cpu);
    pt_park(cpu->pt);
    kick_wait_for_sipi(cpu);
}

/* The manual leaves open whether an INIT that arrives in the wait-for-SIPI state is dropped, or stays pending until the
 * CPU leaves it. A CPU that has executed nothing since its SIPI is in the state that INIT and SIPI would bring about.
 */
static bool is_as_started(struct cpu *cpu)
{
    const bool just_started = startup_of(cpu)->just_started;

    startup_of(cpu)->just_started = false;
    return just_started && vmreadn(VMCS_GUEST_RIP) == 0;
}

static _Noreturn void reset_by_init(struct cpu *cpu)
{
    log_line("INIT on CPU %u: the machine is reset", cpu->number);
    power_reset(cpu);
}

enum exit_action init_exit(struct cpu *cpu)
{
    const bool kicked = kick_take_init(cpu), guests = lapic_take_guest_init(cpu);

    if ((kicked && !guests) || is_as_started(cpu))
        return EXIT_RETRY;
    if (cpu->number == 0) /* the bootstrap processor would start at the firmware's reset vector */
        reset_by_init(cpu);
    return EXIT_WAIT_FOR_SIPI;
}

/* Those that the VMCS does not hold. */
static void registers_after_init(struct cpu *cpu)
{
    cpu->registers = (struct guest_registers){.rdx = cpuid_read(1, 0).eax};
    __asm__ volatile("mov %0, %%cr2\n\tmov %0, %%dr0\n\tmov %0, %%dr1\n\tmov %0, %%dr2\n\tmov %0, %%dr3\n\t"
                     "mov %1, %%dr6"
                     :
                     : "r"(0ull), "r"(DR6_AFTER_INIT));
}

enum exit_action sipi_exit(struct cpu *cpu)
{
    const uint64_t vector = vmreadn(VMCS_EXIT_QUALIFICATION) & 0xff;

    (void)lapic_take_guest_init(cpu); /* an INIT before the SIPI has had its effect */
    lapic_sipi_taken(cpu);            /* VISIBLE: NMIs that were sent meanwhile are pending (docs/visible.md) */
    pt_unpark(cpu->pt);
    timer_run(cpu, true);
    vmcs_setup_guest_init(cpu, (vmreadn(VMCS_GUEST_CR0) & (CR0_CD | CR0_NW)) | CR0_ET);
    registers_after_init(cpu);
    lapic_reset(cpu);
    vmwrite16(VMCS_GUEST_CS_SELECTOR, (uint16_t)(vector << 8));
    vmwriten(VMCS_GUEST_CS_BASE, vector << 12);
    vmwriten(VMCS_GUEST_RIP, 0);
    vmwrite32(VMCS_GUEST_ACTIVITY_STATE, ACTIVITY_ACTIVE);
    startup_of(cpu)->just_started = true;
    code_segment_loaded(cpu);
    return EXIT_INJECTED;
}
