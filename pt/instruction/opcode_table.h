/*
 * What follows an opcode: one byte (the opcode's shape) for each. Private to pt/instruction/.
 *
 * Bits 7:4 are the class: a kind of enum instruction_kind up to INSTRUCTION_FAR_JUMP, or one of the classes below,
 * which need more bytes to decide.
 */
#ifndef PT_INSTRUCTION_OPCODE_TABLE_H
#define PT_INSTRUCTION_OPCODE_TABLE_H

#include "pt/instruction/instruction.h"

/* Bits 2:0: the immediate or displacement. Up to IMM_16 the value is the number of bytes. */
enum {
    IMM_NONE,
    IMM_8,
    IMM_16,
    IMM_Z,     /* 2 or 4 bytes, by the operand size */
    IMM_V,     /* 2, 4 or 8 */
    IMM_MOFFS, /* by the address size */
    IMM_FAR,   /* IMM_Z and a selector */
    IMM_ENTER, /* a word and a byte */
    IMM = 7,
    MODRM = 8,
};

#define SHAPE_CLASS(shape) ((shape) >> 4)

enum {
    CLASS_PREFIX = INSTRUCTION_FAR_JUMP + 1,
    CLASS_ESCAPE,      /* the next byte is an opcode of another map */
    CLASS_VEX,         /* a VEX or EVEX prefix, or LES, LDS, BOUND */
    CLASS_GROUP,       /* ModRM determines the kind, or the immediate */
    CLASS_NOT_64,      /* plain, does not exist in 64-bit mode */
    CLASS_NOT_64_CALL, /* likewise: far calls */
    CLASS_NOT_64_JUMP, /* the far jump */
    CLASS_UNDEFINED,
};
_Static_assert(CLASS_UNDEFINED == 15, "a class has four bits");
_Static_assert(INSTRUCTION_PTWRITE < 15, "a group's member has a kind, or is CLASS_UNDEFINED");

/* The one-byte opcodes and those after 0FH. 0F38H and 0F3AH need no table: all have ModRM, and those of the latter an
 * imm8. */
extern const uint8_t instruction_one_byte[256];
extern const uint8_t instruction_two_byte[256];

#endif
