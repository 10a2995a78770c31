/* Kind: shell */
/* Exits of IN, OUT, INS and OUTS. */
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/exit/handlers.h"
#include "vmx/exit/io_instruction.h"

/* IN to AL and AX leaves the rest of RAX; IN to EAX clears the upper half. */
static void io_register(struct cpu *cpu, struct io_access a)
{
    uint64_t *rax = &cpu->registers.rax;
    const uint32_t value = io_access_perform(cpu, a, (uint32_t)*rax & io_mask(a));

    if (a.in)
        *rax = a.size == 4 ? value : (*rax & ~(uint64_t)io_mask(a)) | value;
}

/* SDM Table "Exit Qualification for I/O Instructions" */
enum exit_action io_exit(struct cpu *cpu)
{
    const uint64_t q = vmreadn(VMCS_EXIT_QUALIFICATION);
    const struct io_access access = {.port = (uint16_t)(q >> 16), .size = (unsigned)(q & 7) + 1, .in = q & (1u << 3)};

    if (q & (1u << 4))
        return io_string_perform(cpu, access, q & (1u << 5));
    io_register(cpu, access);
    return EXIT_ADVANCE;
}
