/*
 * Instructions as Intel PT sees them: length, kind of control transfer, target.
 *
 * Every valid instruction of Intel CPUs is decoded. Invalid bytes may be decoded as well, since callers only pass bytes
 * that were executed. Rejected are opcodes that do not exist in the mode, opcode maps of VEX and EVEX that do not
 * exist, 8FH with ModRM.reg above 0, FFH with ModRM.reg 7, and more than 15 bytes. Accepted are LOCK, other prefixes
 * and REX where they are not allowed, other undefined members of groups, register operands in place of memory operands,
 * and reserved bits of VEX and EVEX. Instructions that only AMD defines (XOP, 3DNow!, immediates of SSE4a) are not
 * supported.
 *
 * Source: SDM Volume 2, chapter 2 "Instruction Format" and appendix A "Opcode Map"; "Change of Flow Instruction (COFI)
 * Tracing" (36.2.1). REX2, EVEX map 4, JMPABS: Intel APX Architecture Specification, 3.1.1 "REX2 Prefix", 3.1.2
 * "Extended EVEX Prefix", 3.1.3.
 */
#ifndef PT_INSTRUCTION_INSTRUCTION_H
#define PT_INSTRUCTION_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#define INSTRUCTION_MAX_BYTES 15u

/* The size of code: CS.L, else CS.D. */
enum instruction_mode { INSTRUCTION_16, INSTRUCTION_32, INSTRUCTION_64 };

/* The packets of each kind are in the SDM's table "COFI Type for Branch Instructions". Instructions that do not branch
 * are plain, and so are XBEGIN, XEND and XABORT, since an abort is not a branch; VMCALL and others that exit, which are
 * traced as events; and ENCLU, which has TIP packets only in debug enclaves. */
enum instruction_kind {
    INSTRUCTION_PLAIN,
    INSTRUCTION_JCC,         /* and LOOPcc, JCXZ, JECXZ, JRCXZ: TNT */
    INSTRUCTION_JMP_DIRECT,  /* no packet */
    INSTRUCTION_CALL_DIRECT, /* no packet */
    INSTRUCTION_RET,         /* TIP, or TNT where compressed */
    INSTRUCTION_FAR_CALL,    /* CALL far, INT n, INT1, INT3, INTO, SYSCALL, SYSENTER */
    INSTRUCTION_FAR_RETURN,  /* RET far, IRET, SYSRET, SYSEXIT, UIRET, ERETS, ERETU, RSM */
    INSTRUCTION_FAR_JUMP,
    INSTRUCTION_JMP_INDIRECT, /* and JMPABS, which has a TIP like these */
    INSTRUCTION_CALL_INDIRECT,
    INSTRUCTION_VM_ENTRY, /* VMLAUNCH, VMRESUME */
    INSTRUCTION_MOV_CR3,  /* MOV to CR3: PIP */
    INSTRUCTION_PTWRITE,
};

struct instruction {
    int32_t displacement; /* JCC and direct branches: the target minus the next instruction's IP; others: 0 */
    uint8_t length;       /* bytes: 1 to 15 */
    uint8_t kind;
    uint8_t opcode;   /* its last byte */
    uint8_t ip_bytes; /* branches: the new IP is truncated to 2, 4 or 8 bytes */
};

/* Last bytes of opcodes that kind does not distinguish. */
#define OPCODE_INT3 0xccu
#define OPCODE_INT 0xcdu
#define OPCODE_INTO 0xceu
#define OPCODE_INT1 0xf1u

/* Software interrupts, which have a FUP as well. */
static inline bool instruction_is_interrupt(const struct instruction *instruction)
{
    return instruction->kind == INSTRUCTION_FAR_CALL &&
           (instruction->opcode == OPCODE_INT3 || instruction->opcode == OPCODE_INT ||
            instruction->opcode == OPCODE_INTO || instruction->opcode == OPCODE_INT1);
}

static inline bool instruction_is_far(const struct instruction *instruction)
{
    return instruction->kind >= INSTRUCTION_FAR_CALL && instruction->kind <= INSTRUCTION_FAR_JUMP;
}

enum instruction_result {
    INSTRUCTION_DECODED,
    INSTRUCTION_SHORT,   /* the bytes are, or may be, the beginning of an instruction */
    INSTRUCTION_INVALID, /* no instruction begins with these bytes */
};

/* Decode the instruction at bytes. Reads at most nr bytes; 15 are always enough. *instruction is only written if the
 * result is INSTRUCTION_DECODED. */
enum instruction_result instruction_decode(struct instruction *instruction, const uint8_t *bytes, uint32_t nr,
                                           enum instruction_mode mode);

#endif
