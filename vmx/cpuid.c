/* Kind: shell, hot */
/* CPUID exits: vmx/cpuid_policy.c decides, this reads the CPU's own answer and the guest's state. */
#include "vmx/cpuid.h"

#include "vmx/cpu.h"
#include "vmx/guest.h"

enum exit_action cpuid_exit(struct cpu *cpu)
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
