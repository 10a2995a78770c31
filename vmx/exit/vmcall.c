/* Kind: shell */
/*
 * VMCALL: pass the guest's hypercalls to a hypervisor below us, if CPUID shows one.
 *
 * Source: SDM "VMCALL - Call to VM Monitor", Vol. 2A "CPUID": CPUID.1:ECX[31], which is never set by a processor. KVM
 * has its arguments in RAX, RBX, RCX, RDX and RSI, Hyper-V in RCX, RDX, R8 and XMM registers, which root does not
 * change. Both return in RAX, Hyper-V also in RDX for 32-bit code.
 */
#include "vmx/exit/handlers.h"

#include "vmx/cpu/cpu.h"
#include "vmx/exit/cpuid.h"
#include "vmx/guest/guest.h"

/* Root repeats the call at its own CPL, 0. Memory addresses in the arguments are guest-physical, and so are the
 * machine's. VISIBLE: at CPL 1 to 3 it is #UD, whatever the hypervisor below would answer. */
enum exit_action vmcall_exit(struct cpu *cpu)
{
    struct guest_registers *r = &cpu->registers;

    if (!cpuid_has_hypervisor(cpu) || !guest_at_cpl0())
        return guest_inject_exception(VECTOR_UD);
    __asm__ volatile("mov %[r8], %%r8\n\t"
                     "vmcall"
                     : "+a"(r->rax), "+b"(r->rbx), "+c"(r->rcx), "+d"(r->rdx), "+S"(r->rsi), "+D"(r->rdi)
                     : [r8] "m"(r->r8)
                     : "r8", "memory", "cc");
    return EXIT_ADVANCE;
}
