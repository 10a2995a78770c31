/* Kind: shell */
/*
 * VMCALL: where there is a hypervisor below, which CPUID shows, the guest speaks with it as if we were not here.
 *
 * Source: SDM "VMCALL - Call to VM Monitor", Vol. 2A "CPUID": CPUID.1:ECX[31], which is never set by a processor. KVM
 * takes its arguments in RAX, RBX, RCX, RDX and RSI, Hyper-V in RCX, RDX and R8, and in XMM registers, which root does
 * not use. They answer in RAX, Hyper-V in RDX as well for 32-bit code.
 */
#include "vmx/cpu.h"

/* The call is made again, by root, whose CPL is 0. What it is told of memory are the guest's physical addresses, which
 * are the machine's. VISIBLE: at CPL 1 to 3 it is #UD, whatever the hypervisor below would say. */
enum exit_action vmcall_exit(struct cpu *cpu)
{
    struct guest_registers *r = &cpu->registers;

    if (!cpu->cpuid_limits.hypervisor || !guest_at_cpl0())
        return guest_inject_exception(VECTOR_UD);
    __asm__ volatile("mov %[r8], %%r8\n\t"
                     "vmcall"
                     : "+a"(r->rax), "+b"(r->rbx), "+c"(r->rcx), "+d"(r->rdx), "+S"(r->rsi), "+D"(r->rdi)
                     : [r8] "m"(r->r8)
                     : "r8", "memory", "cc");
    return EXIT_ADVANCE;
}
