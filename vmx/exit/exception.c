/* Kind: shell, hot */
/*
 * Exceptions and NMIs. The only exceptions that exit are page faults (vmx/code/faults.c), which the guest gets as the
 * processor would have delivered them.
 */
#include "vmx/code/code.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/exit/handlers.h"
#include "vmx/guest/guest.h"
#include "vmx/nmi/nmi.h"
#include "vmx/smp/power.h"

/* If the fault occurred during the delivery of another event, Vol. 3A Table "Conditions for Generating a Double Fault"
 * decides. Events other than exceptions are lost then, as on bare hardware: SDM "Reflecting Exceptions to Guest
 * Software". Faults that end in a double or triple fault update CR2, too: Vol. 3A "Interrupt 14". */
static enum exit_action fault_reflect(struct cpu *cpu, struct event fault)
{
    const uint32_t vector = event_nested(vmread32(VMCS_IDT_VECTORING_INFORMATION), VECTOR_PF);

    if (vector == 0)
        return triple_fault_exit(cpu);
    if (vector == VECTOR_DF)
        return guest_inject_exception(VECTOR_DF);
    guest_inject(fault);
    return EXIT_INJECTED;
}

/* Not inline: every exit would pay for the registers that it saves. */
__attribute__((noinline)) static enum exit_action page_fault_exit(struct cpu *cpu, uint32_t information)
{
    const uint64_t linear = vmreadn(VMCS_EXIT_QUALIFICATION);
    const uint32_t error_code = vmread32(VMCS_EXIT_INTERRUPTION_ERROR_CODE);

    code_page_faulted(cpu, linear, error_code);
    __asm__ volatile("mov %0, %%cr2" : : "r"(linear));
    return fault_reflect(cpu, (struct event){.information = information & EVENT_INJECTED, .error_code = error_code});
}

/* The guest can take NMIs again; or a page-fault handler has returned. */
enum exit_action nmi_window_exit(struct cpu *cpu)
{
    if (nmi_window_opened(cpu))
        code_handler_returned(cpu);
    return EXIT_RETRY;
}

enum exit_action exception_exit(struct cpu *cpu)
{
    const uint32_t information = vmread32(VMCS_EXIT_INTERRUPTION_INFORMATION);

    return event_type_of(information) == EVENT_NMI ? nmi_exit(cpu) : page_fault_exit(cpu, information);
}
