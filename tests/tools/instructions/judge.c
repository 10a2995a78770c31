/* Compare our decoding of an instruction with Zydis's. */
#include "tests/tools/instructions/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_PRINTED 20u
#define NO_KIND 255u

struct judge judges[NR_JUDGES] = {
    {.name = "real", .machine_mode = ZYDIS_MACHINE_MODE_REAL_16, .mode = INSTRUCTION_16},
    {.name = "16", .machine_mode = ZYDIS_MACHINE_MODE_LEGACY_16, .mode = INSTRUCTION_16},
    {.name = "32", .machine_mode = ZYDIS_MACHINE_MODE_LEGACY_32, .mode = INSTRUCTION_32},
    {.name = "64", .machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .mode = INSTRUCTION_64},
};

bool judges_init(void)
{
    static const ZydisStackWidth widths[NR_JUDGES] = {ZYDIS_STACK_WIDTH_16, ZYDIS_STACK_WIDTH_16, ZYDIS_STACK_WIDTH_32,
                                                      ZYDIS_STACK_WIDTH_64};
    for (int i = 0; i < NR_JUDGES; i++)
        if (!ZYAN_SUCCESS(ZydisDecoderInit(&judges[i].decoder, judges[i].machine_mode, widths[i])))
            return false;
    return true;
}

uint64_t judge_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void judge_ask(const struct judge *judge, struct opinion *opinion)
{
    opinion->status = ZydisDecoderDecodeInstruction(&judge->decoder, &opinion->context, opinion->bytes, opinion->nr,
                                                    &opinion->instruction);
}

/* Instructions that our decoder does not support (pt/instruction/instruction.h): AMD's, if Intel's rules yield another
 * length or reject them; AMD's others have Intel's formats. And two VEX-encoded branches of a coprocessor, which are
 * not in the SDM. */
static bool is_foreign(const ZydisDecodedInstruction *zydis)
{
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_EXTRQ: /* SSE4a: two immediates after 0F78H */
    case ZYDIS_MNEMONIC_INSERTQ:
    case ZYDIS_MNEMONIC_JKZD:
    case ZYDIS_MNEMONIC_JKNZD:
        return true;
    default:
        return zydis->meta.isa_ext == ZYDIS_ISA_EXT_AMD3DNOW || zydis->meta.isa_ext == ZYDIS_ISA_EXT_XOP ||
               zydis->meta.isa_ext == ZYDIS_ISA_EXT_TBM;
    }
}

static enum instruction_kind kind_of_transfer(const ZydisDecodedInstruction *zydis, enum instruction_kind far,
                                              enum instruction_kind direct, enum instruction_kind indirect)
{
    if (zydis->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return far;
    return zydis->raw.imm[0].is_relative ? direct : indirect;
}

static bool is_mov_to_cr3(const struct judge *judge, const struct opinion *opinion)
{
    ZydisDecodedOperand to;
    return opinion->instruction.opcode_map == ZYDIS_OPCODE_MAP_0F &&
           ZYAN_SUCCESS(
               ZydisDecoderDecodeOperands(&judge->decoder, &opinion->context, &opinion->instruction, &to, 1)) &&
           to.type == ZYDIS_OPERAND_TYPE_REGISTER && to.reg.value == ZYDIS_REGISTER_CR3;
}

/* By mnemonic and operands, where we go by opcode. */
static enum instruction_kind kind_of(const struct judge *judge, const struct opinion *opinion)
{
    const ZydisDecodedInstruction *zydis = &opinion->instruction;
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_JMP:
        return kind_of_transfer(zydis, INSTRUCTION_FAR_JUMP, INSTRUCTION_JMP_DIRECT, INSTRUCTION_JMP_INDIRECT);
    case ZYDIS_MNEMONIC_CALL:
        return kind_of_transfer(zydis, INSTRUCTION_FAR_CALL, INSTRUCTION_CALL_DIRECT, INSTRUCTION_CALL_INDIRECT);
    case ZYDIS_MNEMONIC_RET:
        return zydis->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? INSTRUCTION_FAR_RETURN : INSTRUCTION_RET;
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_INTO:
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER:
        return INSTRUCTION_FAR_CALL;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_UIRET:
    case ZYDIS_MNEMONIC_RSM:
        return INSTRUCTION_FAR_RETURN;
    case ZYDIS_MNEMONIC_VMLAUNCH:
    case ZYDIS_MNEMONIC_VMRESUME:
        return INSTRUCTION_VM_ENTRY;
    case ZYDIS_MNEMONIC_PTWRITE:
        return INSTRUCTION_PTWRITE;
    case ZYDIS_MNEMONIC_MOV:
        return is_mov_to_cr3(judge, opinion) ? INSTRUCTION_MOV_CR3 : INSTRUCTION_PLAIN;
    case ZYDIS_MNEMONIC_XBEGIN: /* these two are conditional branches to Zydis, and none to Intel PT */
    case ZYDIS_MNEMONIC_XEND:
        return INSTRUCTION_PLAIN;
    default:
        return zydis->meta.category == ZYDIS_CATEGORY_COND_BR ? INSTRUCTION_JCC : INSTRUCTION_PLAIN;
    }
}

static bool is_near(uint8_t kind)
{
    return (kind >= INSTRUCTION_JCC && kind <= INSTRUCTION_RET) || kind == INSTRUCTION_JMP_INDIRECT ||
           kind == INSTRUCTION_CALL_INDIRECT;
}

/* The same where the whole is there, and known to be short where one to all of its bytes are missing. */
static bool holds_when_short(const struct judge *judge, const struct opinion *opinion, const struct instruction *ours)
{
    struct instruction again;
    uint32_t less = (uint32_t)(judge->cases % ours->length);
    return instruction_decode(&again, opinion->bytes, ours->length, judge->mode) == INSTRUCTION_DECODED &&
           memcmp(&again, ours, sizeof(again)) == 0 &&
           instruction_decode(&again, opinion->bytes, less, judge->mode) == INSTRUCTION_SHORT;
}

/* What is not the same of an instruction that both accept, or NULL. */
static const char *difference(const struct judge *judge, const struct opinion *opinion, const struct instruction *ours)
{
    const ZydisDecodedInstruction *zydis = &opinion->instruction;
    if (ours->length != zydis->length)
        return "length";
    if (ours->kind != kind_of(judge, opinion))
        return "kind";
    bool direct = ours->kind >= INSTRUCTION_JCC && ours->kind <= INSTRUCTION_CALL_DIRECT;
    if (ours->displacement != (direct ? zydis->raw.imm[0].value.s : 0))
        return "displacement";
    if (is_near(ours->kind) && ours->ip_bytes * 8 != zydis->operand_width)
        return "bytes of the IP";
    return holds_when_short(judge, opinion, ours) ? NULL : "result with fewer bytes";
}

static void print(const struct judge *judge, const struct opinion *opinion, const struct instruction *ours,
                  const char *what)
{
    const ZydisDecodedInstruction *zydis = &opinion->instruction;
    printf("mode %s: %s:", judge->name, what);
    for (uint32_t i = 0; i < opinion->nr && i < 16; i++)
        printf(" %02x", opinion->bytes[i]);
    printf(": length %u kind %u displacement %" PRId32 " ip %u; Zydis: %s length %u displacement %" PRId64
           " operands of %u\n",
           ours->length, ours->kind, ours->displacement, ours->ip_bytes, ZydisMnemonicGetString(zydis->mnemonic),
           zydis->length, (int64_t)zydis->raw.imm[0].value.s, zydis->operand_width);
}

void judge_compare(struct judge *judge, const struct opinion *opinion)
{
    struct instruction ours = {.kind = NO_KIND};
    bool accepted = instruction_decode(&ours, opinion->bytes, opinion->nr, judge->mode) == INSTRUCTION_DECODED;
    judge->cases++;
    if (!ZYAN_SUCCESS(opinion->status)) {
        judge->only_ours += accepted;
    } else if (is_foreign(&opinion->instruction)) {
        judge->foreign++;
    } else {
        const char *what = accepted ? difference(judge, opinion, &ours) : "refused";
        if (!what) {
            judge->agreed++;
        } else if (judge->differences++ < MAX_PRINTED) {
            print(judge, opinion, &ours, what);
        }
    }
}
