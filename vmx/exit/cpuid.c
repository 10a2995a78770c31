/* Kind: shell, hot */
/* CPUID exits: vmx/policy/cpuid_policy.c decides, this reads the CPU's own answer and the guest's state. */
#include "vmx/exit/cpuid.h"

#include "vmx/exit/handlers.h"

#include "vmx/cpu/cpu.h"
#include "vmx/guest/guest.h"
#include "vmx/policy/cpuid_policy.h"

#define CPUID_1_ECX_HYPERVISOR (1u << 31)

/* Constant. */
struct cpuid_cpu {
    struct cpuid_limits limits;
    uint8_t address_bits;
};
CPU_STATE(cpuid)

void cpuid_setup(struct cpu *cpu)
{
    cpuid_of(cpu)->limits = (struct cpuid_limits){.max_basic = cpuid_read(0, 0).eax,
                                                  .max_extended = cpuid_read(0x80000000, 0).eax,
                                                  .hypervisor = cpuid_read(1, 0).ecx & CPUID_1_ECX_HYPERVISOR};
    cpuid_of(cpu)->address_bits = cpuid_read(0x80000008, 0).eax & 0xff;
}

bool cpuid_has_hypervisor(const struct cpu *cpu)
{
    return cpuid_of(cpu)->limits.hypervisor;
}

unsigned cpuid_address_bits(const struct cpu *cpu)
{
    return cpuid_of(cpu)->address_bits;
}

enum exit_action cpuid_exit(struct cpu *cpu)
{
    struct guest_registers *r = &cpu->registers;
    const uint32_t leaf = cpuid_effective_leaf((uint32_t)r->rax, cpuid_of(cpu)->limits), subleaf = (uint32_t)r->rcx;
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
