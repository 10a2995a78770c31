/* Kind: shell */
/*
 * INT 15h functions that report memory (vmx/policy/bios_map.h), where the machine's BIOS is part of the guest.
 *
 * The first instruction of the BIOS's handler exits each time: its page never becomes executable (vmx/code/pages.c,
 * vmx/exit/violation.c), and 16-bit code is single-stepped while its pages are sent (vmx/code/segments.c). The guest
 * then continues at an IRET in the handler's segment, with the answer in its registers and in the flags on its stack.
 * Neither the interrupt vectors nor the BIOS are changed, and a handler that the guest puts before the BIOS's still
 * comes first. VISIBLE: the answer is the boot loader's copy of the map, which is sorted and has entries of 20 bytes.
 */
#include "vmx/exit/bios_call.h"

#include "base/control.h"
#include "base/log.h"
#include "vmx/code/code.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/data.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/policy/bios_map.h"

#define IRET 0xcfu
#define IRET_OF_BIOSES 0xff53u /* in segment F000h of PC BIOSes */
#define SEGMENT_SIZE 0x10000u
#define FLAGS_ON_STACK 4u /* after IP and CS */

/* Real mode, or virtual-8086 mode: a BIOS is not called in any other. */
static bool is_real_mode(void)
{
    return !(vmreadn(VMCS_GUEST_CR0) & CR0_PE) || (vmreadn(VMCS_GUEST_RFLAGS) & RFLAGS_VM);
}

static void *memory_at(void *context, uint64_t gpa)
{
    (void)context;
    return guest_ram(gpa);
}

/* A byte of the guest's RAM for this access; the machine's lock is held. NULL: there is none. */
static uint8_t *byte_at(uint64_t linear, uint32_t access, uint64_t *gpa)
{
    const struct guest_paging paging = guest_paging(vmreadn(VMCS_GUEST_CR3));
    const uint32_t user = vmreadn(VMCS_GUEST_RFLAGS) & RFLAGS_VM ? GUEST_DATA_USER : 0;
    struct guest_data data;

    if (!guest_data_walk(&data, &paging, linear, access | user, memory_at, NULL))
        return NULL;
    *gpa = data.gpa;
    return guest_ram(data.gpa);
}

/* What is not RAM ignores it. */
static void bytes_write(struct cpu *cpu, uint64_t segment_base, uint32_t offset, const uint8_t *bytes, uint32_t nr)
{
    machine_lock(cpu);
    for (uint32_t i = 0; i < nr; i++) {
        uint64_t gpa;
        uint8_t *byte = byte_at(segment_base + ((offset + i) & 0xffff), GUEST_DATA_WRITE, &gpa);

        if (!byte)
            continue;
        code_written_by_root(cpu, gpa);
        *byte = bytes[i];
    }
    machine_unlock(cpu);
}

static void carry_set(struct cpu *cpu, bool carry)
{
    const uint64_t base = vmreadn(VMCS_GUEST_SS_BASE);
    const uint32_t offset = (uint32_t)(vmreadn(VMCS_GUEST_RSP) + FLAGS_ON_STACK);
    uint8_t flags;

    if (guest_memory_read(&flags, base + (offset & 0xffff), sizeof flags) != sizeof flags)
        return;
    flags = (uint8_t)((flags & ~RFLAGS_CF) | (carry ? RFLAGS_CF : 0));
    bytes_write(cpu, base, offset, &flags, sizeof flags);
}

static bool is_iret(uint64_t segment_base, uint32_t offset)
{
    uint8_t byte;

    return guest_memory_read(&byte, segment_base + offset, 1) == 1 && byte == IRET;
}

/* The offset of an IRET in the handler's segment; SEGMENT_SIZE: there is none. */
static uint32_t iret_find(void)
{
    const uint64_t base = vmreadn(VMCS_GUEST_CS_BASE);
    uint32_t offset = 0;

    if (is_iret(base, IRET_OF_BIOSES))
        return IRET_OF_BIOSES;
    while (offset < SEGMENT_SIZE && !is_iret(base, offset))
        offset++;
    return offset;
}

static void registers_load(struct bios_registers *to, const struct guest_registers *from)
{
    *to = (struct bios_registers){(uint32_t)from->rax, (uint32_t)from->rbx, (uint32_t)from->rcx, (uint32_t)from->rdx};
}

static void registers_store(struct guest_registers *to, const struct bios_registers *from)
{
    to->rax = from->eax;
    to->rbx = from->ebx;
    to->rcx = from->ecx;
    to->rdx = from->edx;
}

static __attribute__((cold, noinline)) void call_answer(struct cpu *cpu)
{
    const uint8_t *entry;
    struct bios_registers registers;

    registers_load(&registers, &cpu->registers);
    const enum bios_answer answer = bios_map_call(&registers, &machine.config.bios, &entry);
    if (answer == BIOS_PASS)
        return;
    const uint32_t iret = iret_find();
    if (iret == SEGMENT_SIZE) {
        log_line("INT 15h: no IRET in the BIOS's segment; the BIOS answers, and reports our memory as free");
        return;
    }
    if (entry)
        bytes_write(cpu, vmreadn(VMCS_GUEST_ES_BASE), (uint32_t)cpu->registers.rdi, entry, VMX_E820_ENTRY_SIZE);
    registers_store(&cpu->registers, &registers);
    carry_set(cpu, answer == BIOS_REFUSED);
    vmwriten(VMCS_GUEST_RIP, iret);
}

void bios_call_check(struct cpu *cpu)
{
    if (machine.config.bios.handler && guest_linear_rip() == machine.config.bios.handler && is_real_mode())
        call_answer(cpu);
}
