/* Kind: shell */
/*
 * Has a step executed the instruction, or delivered an event instead? Can the instruction have led to where the guest
 * is now?
 *
 * The exit by the monitor trap flag has priority over debug traps, NMIs and interrupts, so a step is either one
 * instruction or one event, never both. For near branches, and for most instructions that do not branch, RSP decides:
 * an event pushes a frame, which moves RSP by an amount that these instructions do not move it by. For a far branch,
 * the source of its target decides.
 *
 * Source: SDM "Monitor Trap Flag" (25.5.2), "Priority Among Concurrent Events" (6.9), the instructions' "Operation".
 */
#include "base/control.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/memory.h"
#include "vmx/soft/parts.h"

#define OPCODE_RET_IMM 0xc2u
#define OPCODE_SYSCALL 0x05u
#define OPCODE_SYSRET 0x07u
#define OPCODE_SYSENTER 0x34u
#define OPCODE_SYSEXIT 0x35u
#define OPCODE_JMP_FAR 0xeau
#define OPCODE_CALL_FAR 0x9au
#define OPCODE_GROUP_5 0xffu
#define NR_VECTORS 256u

static uint64_t truncate_ip(uint64_t ip, uint32_t bytes)
{
    return bytes == 2 ? (uint16_t)ip : bytes == 4 ? (uint32_t)ip : ip;
}

/* Does the guest's memory at linear hold the low nr bytes of rip? */
static bool memory_has(uint64_t linear, uint64_t rip, uint32_t nr)
{
    uint8_t bytes[8];

    return guest_memory_read(bytes, linear, nr) == nr && __builtin_memcmp(bytes, &rip, nr) == 0;
}

/* Does the vector's handler begin at rip, by the low 16 bits? Gates of all modes begin with those bits of the offset,
 * and so does an entry of the real-mode interrupt vector table. */
static bool is_gate(uint32_t vector, uint64_t rip)
{
    const bool real = !(vmreadn(VMCS_GUEST_CR0) & CR0_PE);
    const uint32_t size = vmread64(VMCS_GUEST_IA32_EFER) & EFER_LMA ? 16 : real ? 4 : 8;

    return memory_has(vmreadn(VMCS_GUEST_IDTR_BASE) + vector * size, rip, 2);
}

/* Has RSP been increased by this many bytes? With a 16-bit stack only the low half changes. */
static bool rose_by(const struct soft_cpu *soft, uint64_t rsp, uint64_t bytes)
{
    const uint64_t beyond = rsp - soft->start.at.rsp - bytes;

    return soft->start.at.context.cs_l ? beyond == 0 : (uint16_t)beyond == 0;
}

/* An event's handler may begin at the address that the instruction would have led to. Is there an event's frame on the
 * stack with the start's IP? An old frame that the instruction has allocated stack for looks the same, so a gate must
 * lead here as well. */
static bool is_frame(const struct soft_cpu *soft, const struct soft_position *to)
{
    const uint32_t nr = to->context.cs_l ? 8 : to->context.cs_d ? 4 : 2;
    const uint64_t fell = soft->start.at.rsp - to->rsp, top = soft_stack_top(to);
    bool gate = false;

    if (fell < 3 * nr ||
        fell >= 8 * nr) /* a frame is IP, CS and flags; in 64-bit mode also RSP and SS, aligned; maybe an error code */
        return false;
    if (!memory_has(top, soft->start.at.rip, nr) && !memory_has(top + nr, soft->start.at.rip, nr))
        return false;
    for (uint32_t vector = 0; vector < NR_VECTORS && !gate; vector++)
        gate = is_gate(vector, to->rip);
    return gate;
}

static bool is_next(const struct soft_cpu *soft, uint64_t rip)
{
    const uint64_t next =
        truncate_ip(soft->start.at.rip + soft->instruction.decode.length, soft->start.at.context.cs_l ? 8 : 4);

    return rip == next || (uint16_t)next == rip;
}

/* An event always moves RSP. An instruction that does not move RSP may stay where it is: REP with iterations left. */
static bool is_plain(const struct soft_cpu *soft, const struct soft_position *to)
{
    if (rose_by(soft, to->rsp, 0))
        return is_next(soft, to->rip) || to->rip == soft->start.at.rip;
    return is_next(soft, to->rip) && !is_frame(soft, to);
}

static bool is_direct(const struct soft_cpu *soft, const struct soft_position *to)
{
    const struct instruction *i = &soft->instruction.decode;
    const uint64_t target =
        truncate_ip(soft->start.at.rip + i->length + (uint64_t)(int64_t)i->displacement, i->ip_bytes);
    const bool call = i->kind == INSTRUCTION_CALL_DIRECT;

    return rose_by(soft, to->rsp, call ? -(uint64_t)i->ip_bytes : 0) &&
           (to->rip == target || (i->kind == INSTRUCTION_JCC && is_next(soft, to->rip)));
}

/* Near branches through a register or memory: RSP changes by a known amount. */
static bool is_indirect(const struct soft_cpu *soft, uint64_t rsp)
{
    const struct instruction *i = &soft->instruction.decode;
    uint64_t rise = 0;

    if (i->kind == INSTRUCTION_CALL_INDIRECT)
        rise = -(uint64_t)i->ip_bytes;
    if (i->kind == INSTRUCTION_RET)
        rise = i->ip_bytes;
    if (i->kind == INSTRUCTION_RET && i->opcode == OPCODE_RET_IMM)
        rise += soft->instruction.bytes[i->length - 2] | (uint32_t)soft->instruction.bytes[i->length - 1] << 8;
    return rose_by(soft, rsp, rise);
}

static bool is_interrupt(const struct soft_cpu *soft, uint64_t rip)
{
    switch (soft->instruction.decode.opcode) {
    case OPCODE_INT1:
        return is_gate(1, rip);
    case OPCODE_INT3:
        return is_gate(3, rip);
    case OPCODE_INTO:
        return is_next(soft, rip) || is_gate(4, rip);
    default:
        return is_gate(soft->instruction.bytes[soft->instruction.decode.length - 1], rip);
    }
}

/* Was rip on the stack when the instruction began? */
static bool was_on_stack(const struct soft_cpu *soft, uint64_t rip)
{
    return memory_has(soft->instruction.stack, rip, soft->instruction.decode.ip_bytes == 2 ? 2 : 4);
}

/* Through memory: JMP does not change RSP, and CALL leaves the next instruction's address at the top of the stack. */
static bool is_far_indirect(const struct soft_cpu *soft, const struct soft_position *to)
{
    if (soft->instruction.decode.kind == INSTRUCTION_FAR_JUMP)
        return rose_by(soft, to->rsp, 0);
    return memory_has(soft_stack_top(to), soft->start.at.rip + soft->instruction.decode.length, 2);
}

static bool is_far(const struct cpu *cpu, const struct soft_cpu *soft, const struct soft_position *to)
{
    const struct instruction *i = &soft->instruction.decode;
    const uint64_t rip = to->rip;

    if (instruction_is_interrupt(i))
        return is_interrupt(soft, rip);
    switch (i->opcode) {
    case OPCODE_SYSCALL:
        return rip == msr_read(soft->start.at.context.cs_l ? IA32_LSTAR : IA32_CSTAR);
    case OPCODE_SYSENTER:
        return rip == vmreadn(VMCS_GUEST_IA32_SYSENTER_EIP);
    case OPCODE_SYSRET:
        return (uint32_t)rip == (uint32_t)cpu->registers.rcx;
    case OPCODE_SYSEXIT:
        return (uint32_t)rip == (uint32_t)cpu->registers.rdx;
    case OPCODE_JMP_FAR:
    case OPCODE_CALL_FAR: /* the opcode is followed by the offset and the selector */
        return __builtin_memcmp(soft->instruction.bytes + i->length - 2 - i->ip_bytes, &rip, i->ip_bytes) == 0;
    case OPCODE_GROUP_5:
        return is_far_indirect(soft, to);
    default: /* IRET, RET far */
        return was_on_stack(soft, rip);
    }
}

bool soft_was_executed(const struct cpu *cpu, const struct soft_position *to)
{
    const struct soft_cpu *soft = soft_of(cpu);
    const bool near = to->context.user == soft->start.at.context.user && to->cs_base == soft->start.at.cs_base;

    if (soft->step.injects_event || !soft->instruction.decoded)
        return false;
    switch (soft->instruction.decode.kind) {
    case INSTRUCTION_JCC:
    case INSTRUCTION_JMP_DIRECT:
    case INSTRUCTION_CALL_DIRECT:
        return near && is_direct(soft, to);
    case INSTRUCTION_JMP_INDIRECT:
    case INSTRUCTION_CALL_INDIRECT:
    case INSTRUCTION_RET:
        return near && is_indirect(soft, to->rsp);
    case INSTRUCTION_FAR_CALL:
    case INSTRUCTION_FAR_RETURN:
    case INSTRUCTION_FAR_JUMP:
        return is_far(cpu, soft, to);
    default:
        return near && is_plain(soft, to);
    }
}
