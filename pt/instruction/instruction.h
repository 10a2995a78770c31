/*
 * Instructions as Intel PT sees them: how long, what kind of change of flow, where to. Core.
 *
 * Each valid instruction of Intel's gets its length and kind. Bytes that are no valid one may get a length all the
 * same: who asks has seen them execute. Refused are opcodes that the mode does not have, maps behind VEX and EVEX that
 * do not exist, 8FH with ModRM.reg above 0, FFH with 7, and more than 15 bytes. Not refused are LOCK, other prefixes
 * and REX where they do not belong, other undefined members of groups, register operands where memory is meant, and
 * reserved bits of VEX and EVEX. Not known are APX's EVEX map 4 and what AMD alone defines (XOP, 3DNow!, immediates of
 * SSE4a).
 *
 * Source: SDM Volume 2, chapter 2 "Instruction Format" and appendix A "Opcode Map"; "Change of Flow Instruction (COFI)
 * Tracing" (36.2.1). REX2, JMPABS: Intel APX Architecture Specification, 3.1.1 "REX2 Prefix", 3.1.3.
 */
#ifndef PT_INSTRUCTION_INSTRUCTION_H
#define PT_INSTRUCTION_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#define INSTRUCTION_MAX_BYTES 15u

/* The size of code: CS.L, else CS.D. */
enum instruction_mode { INSTRUCTION_16, INSTRUCTION_32, INSTRUCTION_64 };

/* What Intel PT tells of each stands in the SDM's table "COFI Type for Branch Instructions". Plain are, beside all that
 * do not branch: XBEGIN, XEND and XABORT, since an abort is no branch of the program's; VMCALL and whatever else exits,
 * which is told as an event; ENCLU, of which TIP packets tell in debug enclaves alone. */
enum instruction_kind {
    INSTRUCTION_PLAIN,
    INSTRUCTION_JCC,         /* and LOOPcc, JCXZ, JECXZ, JRCXZ: TNT */
    INSTRUCTION_JMP_DIRECT,  /* no packet */
    INSTRUCTION_CALL_DIRECT, /* no packet */
    INSTRUCTION_RET,         /* TIP, or TNT where compressed */
    INSTRUCTION_FAR_CALL,    /* CALL far, INT n, INT1, INT3, INTO, SYSCALL, SYSENTER */
    INSTRUCTION_FAR_RETURN,  /* RET far, IRET, SYSRET, SYSEXIT, UIRET, ERETS, ERETU, RSM */
    INSTRUCTION_FAR_JUMP,
    INSTRUCTION_JMP_INDIRECT, /* and JMPABS, which is told like these */
    INSTRUCTION_CALL_INDIRECT,
    INSTRUCTION_VM_ENTRY, /* VMLAUNCH, VMRESUME */
    INSTRUCTION_MOV_CR3,  /* MOV to CR3: PIP */
    INSTRUCTION_PTWRITE,
};

struct instruction {
    int32_t displacement; /* JCC and direct ones: the target less the next instruction's IP; else 0 */
    uint8_t length;       /* bytes: 1 to 15 */
    uint8_t kind;
    uint8_t opcode;   /* its last byte */
    uint8_t ip_bytes; /* branches: the new IP is cut to its lower 2, 4 or 8 bytes */
};

/* Last bytes of opcodes that kind does not tell apart. */
#define OPCODE_INT3 0xccu
#define OPCODE_INT 0xcdu
#define OPCODE_INTO 0xceu
#define OPCODE_INT1 0xf1u

/* Software interrupts, of which a FUP tells as well. */
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
    INSTRUCTION_SHORT,   /* the bytes given are the beginning of one, or may be */
    INSTRUCTION_INVALID, /* no instruction begins so, whatever follows */
};

/* Decode what begins at bytes. No more than nr bytes are read; 15 are always enough. *instruction is written only where
 * INSTRUCTION_DECODED is returned. */
enum instruction_result instruction_decode(struct instruction *instruction, const uint8_t *bytes, uint32_t nr,
                                           enum instruction_mode mode);

#endif
