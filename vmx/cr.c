/* Writes to CR0 and CR4 that touch bits which VMX owns, and XSETBV. */
#include "boot/fixup.h"
#include "vmx/cpu.h"
#include "vmx/vmcs.h"

#define CR_ACCESS_MOV_TO 0u

#define CR0_PE (1ull << 0)
#define CR0_NW (1ull << 29)
#define CR0_CD (1ull << 30)
#define CR0_PG (1ull << 31)

/* Only bits that VMX fixes (NE) are ours. The shadow takes the guest's new value and the instruction runs again: now it
 * does not exit, and the CPU does all the rest, entering IA-32e mode included. */
static enum exit_action cr0_write(uint64_t value)
{
    if (value >> 32 || ((value & CR0_PG) && !(value & CR0_PE)) || ((value & CR0_NW) && !(value & CR0_CD)))
        return guest_inject_exception(VECTOR_GP);
    vmwriten(VMCS_CR0_READ_SHADOW, value & vmreadn(VMCS_CR0_GUEST_HOST_MASK));
    return EXIT_RETRY;
}

enum exit_action cr_access_exit(struct cpu *cpu)
{
    const uint64_t qualification = vmreadn(VMCS_EXIT_QUALIFICATION);
    const unsigned number = qualification & 0xf, type = qualification >> 4 & 3, reg = qualification >> 8 & 0xf;

    if (type != CR_ACCESS_MOV_TO || (number != 0 && number != 4))
        fail_stop(cpu, "a control-register access that should not exit");
    if (number == 0) {
        const uint64_t *registers = &cpu->registers.rax;
        return cr0_write(reg == 4 ? vmreadn(VMCS_GUEST_RSP) : registers[reg]);
    }
    /* Setting VMXE or SMXE: reserved bits where CPUID shows neither feature. */
    return guest_inject_exception(VECTOR_GP);
}

/* XCR0 is not switched: root mode uses no extended state. The CPU judges ECX and the value. */
enum exit_action xsetbv_exit(struct cpu *cpu)
{
    const struct guest_registers *r = &cpu->registers;
    uint32_t failed;

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
