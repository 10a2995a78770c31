/* Kind: shell */
/*
 * INS and OUTS on ports that exit. One element at each exit: with REP the instruction is executed again for the next.
 *
 * The processor has checked that the guest may access the port, but nothing about the memory: that exit comes before
 * its faults. VISIBLE: data breakpoints and protection keys are not checked; outside RAM, memory reads as ones and
 * writes to it are discarded.
 *
 * Source: SDM "Relative Priority of Faults and VM Exits"; Table "Format of the VM-Exit Instruction-Information Field as
 * Used for INS and OUTS"; "Guest-linear address" of "Basic VM-Exit Information"; Vol. 2 "INS", "OUTS", "REP".
 */
#include "base/control.h"
#include "vmx/code/code.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/exit/io_instruction.h"
#include "vmx/guest/data.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"

#define RFLAGS_DF (1ull << 10)
#define RFLAGS_AC (1ull << 18)
#define ERROR_CODE_PRESENT_WRITE 3u

/* Table "Format of Access Rights": the type's bits */
#define TYPE_WRITABLE 2u /* of data; code: readable */
#define TYPE_EXPAND_DOWN 4u
#define TYPE_CODE 8u
#define RIGHTS_UNUSABLE (1u << 16)

#define SEGMENT_ES 0u
#define SEGMENT_SS 2u

struct io_string {
    struct cpu *cpu;
    struct io_access access;
    uint64_t address_mask; /* of the address size */
    uint64_t linear;
    uint64_t *index; /* RDI or RSI */
    struct guest_paging paging;
    uint32_t rights; /* GUEST_DATA_* */
    bool code64;
};

static struct io_string string_of(struct cpu *cpu, struct io_access access, uint32_t information)
{
    static const uint64_t masks[] = {0xffff, 0xffffffff, UINT64_MAX, UINT64_MAX};
    const bool user = guest_in_user_mode();
    struct io_string s = {.cpu = cpu,
                          .access = access,
                          .address_mask = masks[information >> 7 & 3],
                          .linear = vmreadn(VMCS_GUEST_LINEAR_ADDRESS),
                          .index = access.in ? &cpu->registers.rdi : &cpu->registers.rsi,
                          .paging = guest_paging(vmreadn(VMCS_GUEST_CR3)),
                          .rights = (access.in ? GUEST_DATA_WRITE : 0) | (user ? GUEST_DATA_USER : 0),
                          .code64 = guest_code64()};

    if (!user && (vmreadn(VMCS_GUEST_RFLAGS) & RFLAGS_AC))
        s.paging.cr4 &= ~CR4_SMAP;
    return s;
}

/* --- segments ------------------------------------------------------------------------------------------------------
 */

static bool is_canonical(const struct io_string *s, uint64_t linear)
{
    const unsigned unused = s->paging.cr4 & CR4_LA57 ? 64 - 57 : 64 - 48;

    return (uint64_t)((int64_t)(linear << unused) >> unused) == linear;
}

static bool is_in_segment(const struct io_string *s, uint32_t segment)
{
    const uint32_t rights = (uint32_t)vmcs_read(VMCS_GUEST_ES_ACCESS_RIGHTS + 2 * segment);
    const uint64_t limit = vmcs_read(VMCS_GUEST_ES_LIMIT + 2 * segment), first = *s->index & s->address_mask,
                   last = first + s->access.size - 1;
    const bool code = rights & TYPE_CODE, writable = rights & TYPE_WRITABLE;

    if ((rights & RIGHTS_UNUSABLE) || (s->access.in ? code || !writable : code && !writable))
        return false;
    if (!code && (rights & TYPE_EXPAND_DOWN))
        return first > limit && last <= (rights & ACCESS_RIGHTS_DB ? 0xffffffff : 0xffff);
    return last <= limit;
}

static bool is_reachable(const struct io_string *s, uint32_t segment)
{
    if (s->code64)
        return is_canonical(s, s->linear) && is_canonical(s, s->linear + s->access.size - 1);
    return is_in_segment(s, segment);
}

/* --- memory --------------------------------------------------------------------------------------------------------
 */

static void *memory_at(void *context, uint64_t gpa)
{
    (void)context;
    return guest_ram(gpa);
}

static void page_fault(const struct io_string *s, uint64_t linear, uint32_t error_code)
{
    struct event fault = event_exception(VECTOR_PF, true);

    if (machine.config.map_memory && !(error_code & ERROR_CODE_PRESENT_WRITE))
        code_page_faulted(s->cpu, linear, error_code);
    __asm__ volatile("mov %0, %%cr2" : : "r"(linear));
    fault.error_code = error_code;
    vmwriten(VMCS_GUEST_RFLAGS, vmreadn(VMCS_GUEST_RFLAGS) | RFLAGS_RF);
    guest_inject(fault);
}

/* Where the element's bytes are; NULL: not in RAM. false: a page fault was injected. */
static bool bytes_find(const struct io_string *s, uint8_t *bytes[4], uint64_t gpas[4])
{
    struct guest_data data = {0};
    uint64_t linear = s->linear;
    bool found = true;

    machine_lock(s->cpu);
    for (uint32_t i = 0; i < s->access.size && found; i++) {
        linear = s->code64 ? s->linear + i : (uint32_t)(s->linear + i);
        found = guest_data_walk(&data, &s->paging, linear, s->rights, memory_at, NULL);
        gpas[i] = data.gpa;
        bytes[i] = found ? guest_ram(data.gpa) : NULL;
    }
    machine_unlock(s->cpu);
    if (!found)
        page_fault(s, linear, data.error_code);
    return found;
}

static uint32_t bytes_read(const struct io_string *s, uint8_t *const bytes[4])
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < s->access.size; i++)
        value |= (bytes[i] ? *bytes[i] : 0xffu) << 8 * i;
    return value;
}

static void bytes_write(const struct io_string *s, uint8_t *const bytes[4], const uint64_t gpas[4], uint32_t value)
{
    machine_lock(s->cpu);
    for (uint32_t i = 0; i < s->access.size; i++) {
        if (!bytes[i])
            continue;
        code_written_by_root(s->cpu, gpas[i]);
        *bytes[i] = (uint8_t)(value >> 8 * i);
    }
    machine_unlock(s->cpu);
}

/* --- the instruction -----------------------------------------------------------------------------------------------
 */

/* 16-bit registers keep the rest, 32-bit ones are extended by zeros. */
static uint64_t sum_in_register(const struct io_string *s, uint64_t value, uint64_t addend)
{
    const uint64_t sum = (value + addend) & s->address_mask;

    return s->address_mask == 0xffff ? (value & ~0xffffull) | sum : sum;
}

static enum exit_action element_end(const struct io_string *s, bool repeats)
{
    uint64_t *rcx = &s->cpu->registers.rcx;
    const uint64_t size = s->access.size;

    *s->index = sum_in_register(s, *s->index, vmreadn(VMCS_GUEST_RFLAGS) & RFLAGS_DF ? -size : size);
    if (!repeats)
        return EXIT_ADVANCE;
    *rcx = sum_in_register(s, *rcx, UINT64_MAX);
    if (!(*rcx & s->address_mask))
        return EXIT_ADVANCE;
    guest_iterate();
    return EXIT_INJECTED;
}

enum exit_action io_string_perform(struct cpu *cpu, struct io_access access, bool repeats)
{
    const uint32_t information = vmread32(VMCS_EXIT_INSTRUCTION_INFORMATION);
    const uint32_t segment = access.in ? SEGMENT_ES : information >> 15 & 7;
    const struct io_string s = string_of(cpu, access, information);
    uint8_t *bytes[4] = {0};
    uint64_t gpas[4] = {0};

    if (repeats && !(cpu->registers.rcx & s.address_mask))
        return EXIT_ADVANCE;
    if (!is_reachable(&s, segment))
        return guest_inject_exception(segment == SEGMENT_SS ? VECTOR_SS : VECTOR_GP);
    if (!bytes_find(&s, bytes, gpas))
        return EXIT_INJECTED;
    if (access.in)
        bytes_write(&s, bytes, gpas, io_access_perform(cpu, access, 0));
    else
        (void)io_access_perform(cpu, access, bytes_read(&s, bytes));
    return element_end(&s, repeats);
}
