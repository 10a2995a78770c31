/* Kind: shell */
/* Writes to CR0 and CR4 that change bits owned by VMX, loads of CR3 that PT's CR3 filter must follow, and XSETBV. */
#include "vmx/exit/cr.h"

#include "vmx/exit/handlers.h"

#include "base/control.h"
#include "base/fixup.h"
#include "vmx/code/code.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/proc_control.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/exit/cpuid.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/policy/cr_policy.h"
#include "vmx/soft/soft.h"

#define CR_ACCESS_MOV_TO 0u
#define TSS16_BUSY 3u
#define CR3_PAE_ADDRESS 0xffffffe0ull
#define PDPTES_BYTES 32u

/* Of the four PDPTEs that CR3 names. What is not RAM is left to the CPU. */
static bool pdptes_fault(const struct cpu *cpu)
{
    const uint64_t *pdptes = guest_ram_range(vmreadn(VMCS_GUEST_CR3) & CR3_PAE_ADDRESS, PDPTES_BYTES);

    for (unsigned i = 0; pdptes && i < PDPTES_BYTES / sizeof pdptes[0]; i++)
        if (pdpte_faults(pdptes[i], cpuid_address_bits(cpu)))
            return true;
    return false;
}

/* Only bits that VMX fixes (NE) are ours, and PE where vmx/code/segments.c watches it. Put the guest's value into the
 * read shadow and let it execute the instruction again: now it does not exit, and the CPU does all the rest, entering
 * IA-32e mode included. If the instruction faults, it must not have changed the shadow. */
static enum exit_action cr0_write(struct cpu *cpu, uint64_t value)
{
    const struct cr_state before = {.cr0 = vmreadn(VMCS_GUEST_CR0),
                                    .cr4 = vmreadn(VMCS_GUEST_CR4),
                                    .efer = vmread64(VMCS_GUEST_IA32_EFER),
                                    .cs_long = vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_L,
                                    .tss_16bit =
                                        (vmread32(VMCS_GUEST_TR_ACCESS_RIGHTS) & ACCESS_RIGHTS_TYPE) == TSS16_BUSY};

    if (cr0_write_faults(value, &before) || (cr0_write_loads_pdptes(value, &before) && pdptes_fault(cpu)))
        return guest_inject_exception(VECTOR_GP);
    if (!(value & CR0_PE) && (vmreadn(VMCS_CR0_GUEST_HOST_MASK) & CR0_PE))
        code_protected_mode_ends(cpu);
    vmwriten(VMCS_CR0_READ_SHADOW, value & vmreadn(VMCS_CR0_GUEST_HOST_MASK));
    return EXIT_RETRY;
}

void cr3_watch(struct cpu *cpu)
{
    const uint64_t cr3 = vmreadn(VMCS_GUEST_CR3);
    const bool watched = pt_cr3(cpu->pt, cr3);

    proc_control_set(cpu, PROC_CR3_LOAD_EXITING, watched);
    if (!watched)
        return;
    vmwrite32(
        VMCS_CR3_TARGET_COUNT,
        1); /* pt_unsupported_option has made sure that the CPU has one; without, the value field does not exist */
    vmwriten(VMCS_CR3_TARGET_VALUE_0, cr3);
}

/* Make the value the CR3-target value and let the guest execute the instruction again: now it does not exit, so that
 * the CPU writes its PIP (SDM 36.5.2.5) and does all the rest. */
static enum exit_action cr3_write(struct cpu *cpu, uint64_t value)
{
    pt_cr3(cpu->pt, value);
    soft_cr3_load(cpu, value);
    vmwriten(VMCS_CR3_TARGET_VALUE_0, value);
    return EXIT_RETRY;
}

enum exit_action cr_access_exit(struct cpu *cpu)
{
    const uint64_t qualification = vmreadn(VMCS_EXIT_QUALIFICATION);
    const unsigned number = qualification & 0xf, type = qualification >> 4 & 3, reg = qualification >> 8 & 0xf;

    if (type != CR_ACCESS_MOV_TO || (number != 0 && number != 3 && number != 4))
        fail_stop(cpu, "unexpected exit by a control-register access");
    const uint64_t *registers = &cpu->registers.rax;
    const uint64_t value = reg == 4 ? vmreadn(VMCS_GUEST_RSP) : registers[reg];
    if (number == 0)
        return cr0_write(cpu, value);
    if (number == 3)
        return cr3_write(cpu, value);
    /* It sets VMXE, SMXE, UINTR or FRED, which are reserved bits where CPUID does not show the feature. */
    return guest_inject_exception(VECTOR_GP);
}

/* XCR0 is not switched: root mode uses no extended state. The CPU checks ECX and the value, but not the guest's CPL: by
 * SDM "Relative Priority of Faults and VM Exits" it has done so before the exit, which not each emulator does. */
enum exit_action xsetbv_exit(struct cpu *cpu)
{
    const struct guest_registers *r = &cpu->registers;
    uint32_t failed;

    if (!guest_at_cpl0())
        return guest_inject_exception(VECTOR_GP);
    __asm__ volatile("xor %[failed], %[failed]\n"
                     "1:\txsetbv\n\t"
                     "jmp 3f\n"
                     "2:\tmov $1, %[failed]\n"
                     "3:\n" FIXUP("1b", "2b")
                     : [failed] "=&r"(failed)
                     : "a"((uint32_t)r->rax), "d"((uint32_t)r->rdx), "c"((uint32_t)r->rcx)
                     : "memory", "cc");
    return failed ? guest_inject_exception(VECTOR_GP) : EXIT_ADVANCE;
}
