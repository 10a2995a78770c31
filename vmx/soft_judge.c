/* Kind: shell */
/*
 * Was it the instruction that a step has executed, or an event that was delivered instead? Could the instruction have
 * led to where the guest is now?
 *
 * The exit by the monitor trap flag comes before debug traps, NMIs and interrupts, so that behind one step there is an
 * instruction or an event, never both. Of near branches, and of most that do not branch, the stack tells: an event
 * pushes what none of them does. Of a far one it is where it has its target from.
 *
 * Source: SDM "Monitor Trap Flag" (25.5.2), "Priority Among Concurrent Events" (6.9), the instructions' "Operation".
 */
#include "base/control.h"
#include "vmx/cpu.h"
#include "vmx/guest.h"
#include "vmx/guest_memory.h"
#include "vmx/soft_step.h"
#include "vmx/vmcs.h"

#define OPCODE_RET_IMM 0xc2u
#define OPCODE_SYSCALL 0x05u
#define OPCODE_SYSRET 0x07u
#define OPCODE_SYSENTER 0x34u
#define OPCODE_SYSEXIT 0x35u
#define OPCODE_JMP_FAR 0xeau
#define OPCODE_CALL_FAR 0x9au
#define OPCODE_GROUP_5 0xffu
#define NR_VECTORS 256u

static uint64_t cut(uint64_t ip, uint32_t bytes)
{
    return bytes == 2 ? (uint16_t)ip : bytes == 4 ? (uint32_t)ip : ip;
}

/* The lower bytes of an instruction pointer that stands in the guest's memory. */
static bool stands_at(uint64_t linear, uint64_t rip, uint32_t nr)
{
    uint8_t bytes[8];

    return guest_memory_read(bytes, linear, nr) == nr && __builtin_memcmp(bytes, &rip, nr) == 0;
}

/* Its gate in the IDT has the offset's lower 16 bits first, whatever mode it is of; so has a real-mode vector. */
static bool is_gate(uint32_t vector, uint64_t rip)
{
    const bool real = !(vmreadn(VMCS_GUEST_CR0) & CR0_PE);
    const uint32_t size = vmread64(VMCS_GUEST_IA32_EFER) & EFER_LMA ? 16 : real ? 4 : 8;

    return stands_at(vmreadn(VMCS_GUEST_IDTR_BASE) + vector * size, rip, 2);
}

/* Has RSP risen by so much? Of a 16-bit stack's it is the lower half that moves. */
static bool rose_by(const struct soft_step *step, uint64_t rsp, uint64_t bytes)
{
    const uint64_t beyond = rsp - step->begun.rsp - bytes;

    return step->begun.place.cs_l ? beyond == 0 : (uint16_t)beyond == 0;
}

/* An event's handler may stand where the instruction would have led. Then its frame tells that it came from here; but
 * what an event has left there before, and an instruction has made room for, tells the same, so that a gate must too.
 */
static bool is_frame(const struct soft_step *step, const struct guest_stand *to)
{
    const uint32_t nr = to->place.cs_l ? 8 : to->place.cs_d ? 4 : 2;
    const uint64_t fell = step->begun.rsp - to->rsp, top = soft_step_stack(to);
    bool gate = false;

    if (fell < 3 * nr || fell >= 8 * nr) /* IP, CS and flags; in 64-bit mode two more, aligned, and an error code */
        return false;
    if (!stands_at(top, step->begun.rip, nr) && !stands_at(top + nr, step->begun.rip, nr))
        return false;
    for (uint32_t vector = 0; vector < NR_VECTORS && !gate; vector++)
        gate = is_gate(vector, to->rip);
    return gate;
}

static bool is_next(const struct soft_step *step, uint64_t rip)
{
    const uint64_t next = cut(step->begun.rip + step->instruction.length, step->begun.place.cs_l ? 8 : 4);

    return rip == next || (uint16_t)next == rip;
}

/* No event leaves RSP as it is; nor does what moves it stay where it is, as a REP does that goes on. */
static bool is_plain(const struct soft_step *step, const struct guest_stand *to)
{
    if (rose_by(step, to->rsp, 0))
        return is_next(step, to->rip) || to->rip == step->begun.rip;
    return is_next(step, to->rip) && !is_frame(step, to);
}

static bool is_direct(const struct soft_step *step, const struct guest_stand *to)
{
    const struct instruction *i = &step->instruction;
    const uint64_t target = cut(step->begun.rip + i->length + (uint64_t)(int64_t)i->displacement, i->ip_bytes);
    const bool call = i->kind == INSTRUCTION_CALL_DIRECT;

    return rose_by(step, to->rsp, call ? -(uint64_t)i->ip_bytes : 0) &&
           (to->rip == target || (i->kind == INSTRUCTION_JCC && is_next(step, to->rip)));
}

/* Near branches through a register or memory: by how much RSP has risen. */
static bool is_indirect(const struct soft_step *step, uint64_t rsp)
{
    const struct instruction *i = &step->instruction;
    uint64_t rise = 0;

    if (i->kind == INSTRUCTION_CALL_INDIRECT)
        rise = -(uint64_t)i->ip_bytes;
    if (i->kind == INSTRUCTION_RET)
        rise = i->ip_bytes;
    if (i->kind == INSTRUCTION_RET && i->opcode == OPCODE_RET_IMM)
        rise += step->bytes[i->length - 2] | (uint32_t)step->bytes[i->length - 1] << 8;
    return rose_by(step, rsp, rise);
}

static bool is_interrupt(const struct soft_step *step, uint64_t rip)
{
    switch (step->instruction.opcode) {
    case OPCODE_INT1:
        return is_gate(1, rip);
    case OPCODE_INT3:
        return is_gate(3, rip);
    case OPCODE_INTO:
        return is_next(step, rip) || is_gate(4, rip);
    default:
        return is_gate(step->bytes[step->instruction.length - 1], rip);
    }
}

/* What was on the stack when the instruction began. */
static bool was_on_stack(const struct soft_step *step, uint64_t rip)
{
    return stands_at(step->stack, rip, step->instruction.ip_bytes == 2 ? 2 : 4);
}

/* Through memory: a JMP leaves RSP as it is, a CALL leaves the next instruction's address where RSP is now. */
static bool is_far_indirect(const struct soft_step *step, const struct guest_stand *to)
{
    if (step->instruction.kind == INSTRUCTION_FAR_JUMP)
        return rose_by(step, to->rsp, 0);
    return stands_at(soft_step_stack(to), step->begun.rip + step->instruction.length, 2);
}

static bool is_far(const struct cpu *cpu, const struct soft_step *step, const struct guest_stand *to)
{
    const struct instruction *i = &step->instruction;
    const uint64_t rip = to->rip;

    if (instruction_is_interrupt(i))
        return is_interrupt(step, rip);
    switch (i->opcode) {
    case OPCODE_SYSCALL:
        return rip == msr_read(step->begun.place.cs_l ? IA32_LSTAR : IA32_CSTAR);
    case OPCODE_SYSENTER:
        return rip == vmreadn(VMCS_GUEST_IA32_SYSENTER_EIP);
    case OPCODE_SYSRET:
        return (uint32_t)rip == (uint32_t)cpu->registers.rcx;
    case OPCODE_SYSEXIT:
        return (uint32_t)rip == (uint32_t)cpu->registers.rdx;
    case OPCODE_JMP_FAR:
    case OPCODE_CALL_FAR: /* the offset stands behind the opcode, and a selector behind that */
        return __builtin_memcmp(step->bytes + i->length - 2 - i->ip_bytes, &rip, i->ip_bytes) == 0;
    case OPCODE_GROUP_5:
        return is_far_indirect(step, to);
    default: /* IRET, RET far */
        return was_on_stack(step, rip);
    }
}

bool soft_step_was_executed(const struct cpu *cpu, const struct guest_stand *to)
{
    const struct soft_step *step = &cpu->soft;
    const bool near = to->place.user == step->begun.place.user && to->cs_base == step->begun.cs_base;

    if (step->delivers || !step->decoded)
        return false;
    switch (step->instruction.kind) {
    case INSTRUCTION_JCC:
    case INSTRUCTION_JMP_DIRECT:
    case INSTRUCTION_CALL_DIRECT:
        return near && is_direct(step, to);
    case INSTRUCTION_JMP_INDIRECT:
    case INSTRUCTION_CALL_INDIRECT:
    case INSTRUCTION_RET:
        return near && is_indirect(step, to->rsp);
    case INSTRUCTION_FAR_CALL:
    case INSTRUCTION_FAR_RETURN:
    case INSTRUCTION_FAR_JUMP:
        return is_far(cpu, step, to);
    default:
        return near && is_plain(step, to);
    }
}
