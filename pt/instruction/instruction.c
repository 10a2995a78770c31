/* Kind: core */
/* The length and kind of an instruction: see pt/instruction/instruction.h. */
#include "pt/instruction/instruction.h"
#include "pt/instruction/opcode_table.h"

#include <stdbool.h>

#define REX_W 8u
#define REX_R 4u
#define REX2 0xD5u
#define REX2_MAP_1 0x80u /* the opcode is one of the two-byte map, after 0FH */
#define REX2_R4 0x40u
#define EVEX_W 0x80u /* in the second byte of payload */
#define EVEX_PP 3u
#define EVEX_PP_66 1u

/* An instruction that is being read. Reads beyond the last byte return zeros; then at is above end. */
struct reading {
    const uint8_t *bytes;
    uint32_t at, end;
    enum instruction_mode mode;
    uint8_t operand_bytes, address_bytes;
    uint8_t rep; /* F2H or F3H, the last of them */
    uint8_t rex;
    uint8_t opcode; /* its last byte */
    uint8_t shape;  /* its cell in pt/instruction/opcode_table.h */
    uint8_t modrm;
};

static inline uint8_t peek(const struct reading *r)
{
    return r->at < r->end ? r->bytes[r->at] : 0;
}

static inline uint8_t next(struct reading *r)
{
    uint8_t byte = peek(r);
    r->at++;
    return byte;
}

static inline uint8_t look_up(struct reading *r, const uint8_t *map)
{
    r->opcode = next(r);
    return map[r->opcode];
}

static void take_prefix(struct reading *r)
{
    if (r->opcode == 0x66)
        r->operand_bytes = r->mode == INSTRUCTION_16 ? 4 : 2;
    else if (r->opcode == 0x67)
        r->address_bytes = r->mode == INSTRUCTION_32 ? 2 : 4;
    else if (r->opcode >= 0xF2)
        r->rep = r->opcode;
}

/* Read prefixes in any order and the first opcode byte; return its shape. REX is only effective right before the
 * opcode.
 */
static inline uint8_t read_prefixes(struct reading *r)
{
    for (;;) {
        uint8_t shape = look_up(r, instruction_one_byte);
        if (SHAPE_CLASS(shape) != CLASS_PREFIX)
            return shape;
        if ((r->opcode & 0xF0) == 0x40) {
            if (r->mode != INSTRUCTION_64)
                return 0; /* INC and DEC */
            r->rex = r->opcode;
        } else {
            r->rex = 0;
            take_prefix(r);
        }
    }
}

/* After an EVEX prefix of map 4, whose last two bytes are payload: instructions of the one-byte and two-byte maps with
 * more operands or without flags, CCMP, CTEST and others. All have ModRM. The operand size is in the prefix. */
static uint8_t read_evex_map_4(struct reading *r, uint8_t payload)
{
    static const uint16_t rows[16] = {
        /* opcodes that exist, the lowest bit first */
        [0x0] = 0x0F0F, [0x1] = 0x0F0F, [0x2] = 0x1F1F, [0x3] = 0x0F0F, [0x4] = 0xFFFF, [0x6] = 0x0A63,
        [0x8] = 0x8D3B, [0xA] = 0xA020, [0xC] = 0x0003, [0xD] = 0x000F, [0xF] = 0xD3F7};
    const uint8_t opcode = r->opcode = next(r);
    if (r->mode != INSTRUCTION_64 || !(rows[opcode >> 4] >> (opcode & 15) & 1))
        return CLASS_UNDEFINED << 4;
    if (payload & EVEX_W)
        r->operand_bytes = 8;
    else if ((payload & EVEX_PP) == EVEX_PP_66)
        r->operand_bytes = 2;
    switch (opcode) {
    case 0x24: /* SHLD */
    case 0x2C: /* SHRD */
    case 0x6B:
    case 0x80:
    case 0x83:
    case 0xC0:
    case 0xC1:
        return MODRM | IMM_8;
    case 0x69:
    case 0x81:
        return MODRM | IMM_Z;
    case 0xF6:
    case 0xF7:
        return CLASS_GROUP << 4 | MODRM;
    default:
        return MODRM;
    }
}

/* After C4H, C5H or 62H: a VEX or EVEX prefix and its opcode. Outside 64-bit mode it is LES, LDS or BOUND if the next
 * byte is a ModRM byte with a memory operand. With a register operand those would be #UD, so real mode, which has no
 * VEX, needs no special case. SDM Volume 2, 2.3.5 "The VEX Prefix". */
static uint8_t read_vex(struct reading *r)
{
    static const uint8_t shapes[8] = {
        [0] = CLASS_UNDEFINED << 4, [2] = MODRM, [3] = MODRM | IMM_8,
        [4] = CLASS_UNDEFINED << 4, [5] = MODRM, [6] = MODRM,
        [7] = MODRM | IMM_Z, /* URDMSR, UWRMSR */
    };
    uint8_t prefix = r->opcode, payload = next(r), map = 1;
    if (r->mode != INSTRUCTION_64 && payload < 0xC0) {
        r->at--;
        return MODRM;
    }
    if (prefix == 0x62) {
        map = payload & 7;
        payload = next(r);
        r->at++;
        if (map == 4)
            return read_evex_map_4(r, payload);
    } else if (prefix == 0xC4) {
        map = payload & 0x1F;
        r->at++;
    }
    uint8_t shape = look_up(r, instruction_two_byte);
    if (map == 1)
        return shape & (MODRM | IMM);
    return map < 8 ? shapes[map] : shapes[0];
}

/* After D5H in 64-bit mode: a payload whose low bits are those of REX, and an opcode of one of the first two maps. Some
 * rows of these maps do not exist here; JMPABS is in one of those. */
static uint8_t read_rex2(struct reading *r)
{
    const uint8_t payload = next(r);
    const bool map_1 = payload & REX2_MAP_1;
    const uint8_t shape = look_up(r, map_1 ? instruction_two_byte : instruction_one_byte);
    const uint8_t class = SHAPE_CLASS(shape);
    const unsigned row = 1u << (r->opcode >> 4),
                   not_there = map_1 ? 1u << 3 | 1u << 8 : 1u << 4 | 1u << 7 | 1u << 10 | 1u << 14;
    r->rex = (uint8_t)((payload & 0xF) | (payload & REX2_R4 ? REX_R : 0));
    if (r->rex & REX_W)
        r->operand_bytes = 8;
    if (!map_1 && r->opcode == 0xA1)
        return INSTRUCTION_JMP_INDIRECT << 4 | IMM_V;
    return row & not_there || (class >= CLASS_PREFIX && class != CLASS_GROUP) ? CLASS_UNDEFINED << 4 : shape;
}

/* The opcode after 0FH. */
static uint8_t read_escaped(struct reading *r)
{
    uint8_t shape = look_up(r, instruction_two_byte);
    if (SHAPE_CLASS(shape) != CLASS_ESCAPE)
        return shape;
    uint8_t escape = r->opcode;
    r->opcode = next(r);
    return escape == 0x38 ? MODRM : MODRM | IMM_8;
}

static uint8_t kind_outside_64(uint8_t class)
{
    if (class == CLASS_NOT_64)
        return INSTRUCTION_PLAIN;
    return class == CLASS_NOT_64_CALL ? INSTRUCTION_FAR_CALL : INSTRUCTION_FAR_JUMP;
}

/* The shape of the whole opcode: its class is CLASS_GROUP, CLASS_UNDEFINED, or a kind. */
static uint8_t read_opcode(struct reading *r)
{
    uint8_t shape = read_prefixes(r), class = SHAPE_CLASS(shape);
    if (r->rex & REX_W)
        r->operand_bytes = 8;
    switch (class) {
    case CLASS_ESCAPE:
        return read_escaped(r);
    case CLASS_VEX:
        return read_vex(r);
    case CLASS_NOT_64:
    case CLASS_NOT_64_CALL:
    case CLASS_NOT_64_JUMP:
        if (r->mode == INSTRUCTION_64)
            return r->opcode == REX2 ? read_rex2(r) : CLASS_UNDEFINED << 4;
        return (uint8_t)(kind_outside_64(class) << 4 | (shape & (MODRM | IMM)));
    default:
        return shape;
    }
}

/* 0FH 01H: of its 64 instructions with a register operand, these are control transfers. */
static uint8_t kind_of_group_7(const struct reading *r)
{
    if (r->modrm == 0xC2 || r->modrm == 0xC3)
        return INSTRUCTION_VM_ENTRY;
    bool returns = r->modrm == 0xCA ? r->rep != 0 : r->modrm == 0xEC && r->rep == 0xF3; /* ERETS, ERETU; UIRET */
    return returns ? INSTRUCTION_FAR_RETURN : INSTRUCTION_PLAIN;
}

/* CLASS_GROUP: the kind, or CLASS_UNDEFINED. No two opcodes of that class, of both maps, have the same last byte. */
static uint8_t kind_of_group(struct reading *r)
{
    static const uint8_t group_5[8] = {
        [2] = INSTRUCTION_CALL_INDIRECT, [3] = INSTRUCTION_FAR_CALL, [4] = INSTRUCTION_JMP_INDIRECT,
        [5] = INSTRUCTION_FAR_JUMP,      [7] = CLASS_UNDEFINED,
    };
    uint8_t reg = r->modrm >> 3 & 7;
    switch (r->opcode) {
    case 0x01:
        return kind_of_group_7(r);
    case 0x8F: /* POP, else XOP */
        return reg == 0 ? INSTRUCTION_PLAIN : CLASS_UNDEFINED;
    case 0xAE:
        return reg == 4 && r->rep == 0xF3 ? INSTRUCTION_PTWRITE : INSTRUCTION_PLAIN;
    case 0xF6: /* TEST has an immediate, the rest of the group has none */
    case 0xF7:
        if (reg < 2)
            r->shape |= r->opcode == 0xF6 ? IMM_8 : IMM_Z;
        return INSTRUCTION_PLAIN;
    case 0xFF:
        return group_5[reg];
    default: /* MOV to and from control and debug registers: mod is taken for 3 */
        r->modrm |= 0xC0;
        return r->opcode == 0x22 && reg == 3 && !(r->rex & REX_R) ? INSTRUCTION_MOV_CR3 : INSTRUCTION_PLAIN;
    }
}

/* Skip SIB and displacement. SDM Volume 2, 2.1.5 "Addressing-Mode Encoding of ModR/M and SIB Bytes". */
static inline void skip_memory_operand(struct reading *r)
{
    /* Bytes by mod and r/m. */
    static const uint8_t skip[2][32] = {
        {0, 0, 0, 0, 1, 4, 0, 0, 1, 1, 1, 1, 2, 1, 1, 1, 4, 4, 4, 4, 5, 4, 4, 4},
        {0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}, /* 16-bit addresses */
    };
    bool in_16 = r->address_bytes == 2;
    if (r->modrm >> 6 == 0 && (r->modrm & 7) == 4 && !in_16 && (peek(r) & 7) == 5)
        r->at += 4; /* no base: a displacement in its place */
    r->at += skip[in_16][r->modrm >> 6 << 3 | (r->modrm & 7)];
}

static inline uint32_t immediate_bytes(const struct reading *r)
{
    /* By operand size: 2, 4, 8 bytes. */
    static const uint8_t sizes[3][8] = {
        {0, 1, 2, [IMM_Z] = 2, [IMM_V] = 2, [IMM_FAR] = 4, [IMM_ENTER] = 3},
        {0, 1, 2, [IMM_Z] = 4, [IMM_V] = 4, [IMM_FAR] = 6, [IMM_ENTER] = 3},
        {0, 1, 2, [IMM_Z] = 4, [IMM_V] = 8, [IMM_ENTER] = 3},
    };
    uint32_t imm = r->shape & IMM;
    return imm == IMM_MOFFS ? r->address_bytes : sizes[r->operand_bytes >> 2][imm];
}

/* The last nr_bytes bytes, sign-extended. */
static int32_t read_displacement(const struct reading *r, uint32_t nr_bytes)
{
    const uint8_t *from = r->bytes + r->at - nr_bytes;
    if (nr_bytes == 1)
        return (int8_t)from[0];
    uint32_t low = from[0] | (uint32_t)from[1] << 8;
    if (nr_bytes == 2)
        return (int16_t)low;
    return (int32_t)(low | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24);
}

enum instruction_result instruction_decode(struct instruction *instruction, const uint8_t *bytes, uint32_t nr,
                                           enum instruction_mode mode)
{
    struct reading r = {.bytes = bytes,
                        .end = nr < INSTRUCTION_MAX_BYTES ? nr : INSTRUCTION_MAX_BYTES,
                        .mode = mode,
                        .operand_bytes = mode == INSTRUCTION_16 ? 2 : 4,
                        .address_bytes = (uint8_t)(2u << mode)};
    r.shape = read_opcode(&r);
    uint8_t kind = SHAPE_CLASS(r.shape);
    if (r.shape & MODRM) {
        r.modrm = next(&r);
        if (kind == CLASS_GROUP)
            kind = kind_of_group(&r);
        skip_memory_operand(&r);
    }
    /* SDM Volume 2, appendix A: branches ignore 66H in 64-bit mode. */
    if (kind != INSTRUCTION_PLAIN && mode == INSTRUCTION_64)
        r.operand_bytes = 8;
    uint32_t immediate = immediate_bytes(&r);
    r.at += immediate;
    if (r.at > r.end && nr < INSTRUCTION_MAX_BYTES)
        return INSTRUCTION_SHORT;
    if (r.at > r.end || kind == CLASS_UNDEFINED)
        return INSTRUCTION_INVALID;
    bool direct = kind >= INSTRUCTION_JCC && kind <= INSTRUCTION_CALL_DIRECT;
    *instruction = (struct instruction){.displacement = direct ? read_displacement(&r, immediate) : 0,
                                        .length = (uint8_t)r.at,
                                        .kind = kind,
                                        .opcode = r.opcode,
                                        .ip_bytes = r.operand_bytes};
    return INSTRUCTION_DECODED;
}
