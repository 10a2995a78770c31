/* Kind: core */
/* The shape of each opcode: see pt/instruction/opcode_table.h. Source: SDM Volume 2, appendix A "Opcode Map". */
#include "pt/instruction/opcode_table.h"

/* The names of the cells: class, ModRM, immediate. */
#define CELL(class, rest) (uint8_t)((class) << 4 | (rest))
enum {
    __ = 0,
    M_ = MODRM,
    I8 = IMM_8,
    IZ = IMM_Z,
    IV = IMM_V,
    MO = IMM_MOFFS,
    M8 = MODRM | IMM_8,
    MZ = MODRM | IMM_Z,
    EN = IMM_ENTER,
    J8 = CELL(INSTRUCTION_JCC, IMM_8),
    JZ = CELL(INSTRUCTION_JCC, IMM_Z),
    D8 = CELL(INSTRUCTION_JMP_DIRECT, IMM_8),
    DZ = CELL(INSTRUCTION_JMP_DIRECT, IMM_Z),
    CZ = CELL(INSTRUCTION_CALL_DIRECT, IMM_Z),
    R_ = CELL(INSTRUCTION_RET, 0),
    RW = CELL(INSTRUCTION_RET, IMM_16),
    FC = CELL(INSTRUCTION_FAR_CALL, 0),
    F8 = CELL(INSTRUCTION_FAR_CALL, IMM_8),
    FR = CELL(INSTRUCTION_FAR_RETURN, 0),
    FW = CELL(INSTRUCTION_FAR_RETURN, IMM_16),
    PR = CELL(CLASS_PREFIX, 0),
    ES = CELL(CLASS_ESCAPE, 0),
    VX = CELL(CLASS_VEX, MODRM),
    GR = CELL(CLASS_GROUP, MODRM),
    N_ = CELL(CLASS_NOT_64, 0),
    N8 = CELL(CLASS_NOT_64, IMM_8),
    NM = CELL(CLASS_NOT_64, MODRM | IMM_8),
    NC = CELL(CLASS_NOT_64_CALL, 0),
    NF = CELL(CLASS_NOT_64_CALL, IMM_FAR),
    NJ = CELL(CLASS_NOT_64_JUMP, IMM_FAR),
    U_ = CELL(CLASS_UNDEFINED, 0),
    UM = CELL(CLASS_UNDEFINED, MODRM), /* defined only after EVEX */
};

/* clang-format off */

/* 40H to 4FH are prefixes only in 64-bit mode. D6H is SALC, which no manual documents and all CPUs implement. */
const uint8_t instruction_one_byte[256] = {
/*         0   1   2   3   4   5   6   7   8   9   A   B   C   D   E   F */
/* 0 */   M_, M_, M_, M_, I8, IZ, N_, N_, M_, M_, M_, M_, I8, IZ, N_, ES,
/* 1 */   M_, M_, M_, M_, I8, IZ, N_, N_, M_, M_, M_, M_, I8, IZ, N_, N_,
/* 2 */   M_, M_, M_, M_, I8, IZ, PR, N_, M_, M_, M_, M_, I8, IZ, PR, N_,
/* 3 */   M_, M_, M_, M_, I8, IZ, PR, N_, M_, M_, M_, M_, I8, IZ, PR, N_,
/* 4 */   PR, PR, PR, PR, PR, PR, PR, PR, PR, PR, PR, PR, PR, PR, PR, PR,
/* 5 */   __, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
/* 6 */   N_, N_, VX, M_, PR, PR, PR, PR, IZ, MZ, I8, M8, __, __, __, __,
/* 7 */   J8, J8, J8, J8, J8, J8, J8, J8, J8, J8, J8, J8, J8, J8, J8, J8,
/* 8 */   M8, MZ, NM, M8, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, GR,
/* 9 */   __, __, __, __, __, __, __, __, __, __, NF, __, __, __, __, __,
/* A */   MO, MO, MO, MO, __, __, __, __, I8, IZ, __, __, __, __, __, __,
/* B */   I8, I8, I8, I8, I8, I8, I8, I8, IV, IV, IV, IV, IV, IV, IV, IV,
/* C */   M8, M8, RW, R_, VX, VX, M8, MZ, EN, __, FW, FR, FC, F8, NC, FR,
/* D */   M_, M_, M_, M_, N8, N8, N_, __, M_, M_, M_, M_, M_, M_, M_, M_,
/* E */   J8, J8, J8, J8, I8, I8, I8, I8, CZ, DZ, NJ, D8, __, __, __, __,
/* F */   PR, FC, PR, PR, __, __, GR, GR, __, __, __, __, __, __, M_, GR,
};

/* Also used after VEX and EVEX, where only the low half of a cell counts. A6H and A7H are VIA's and Zhaoxin's. */
const uint8_t instruction_two_byte[256] = {
/*         0   1   2   3   4   5   6   7   8   9   A   B   C   D   E   F */
/* 0 */   M_, GR, M_, M_, U_, FC, __, FR, __, __, U_, __, U_, M_, U_, U_,
/* 1 */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
/* 2 */   GR, GR, GR, GR, U_, U_, U_, U_, M_, M_, M_, M_, M_, M_, M_, M_,
/* 3 */   __, __, __, __, FC, FR, U_, __, ES, U_, ES, U_, U_, U_, U_, U_,
/* 4 */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
/* 5 */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
/* 6 */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
/* 7 */   M8, M8, M8, M8, M_, M_, M_, __, M_, M_, UM, UM, M_, M_, M_, M_,
/* 8 */   JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ,
/* 9 */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
/* A */   __, __, __, M_, M8, M_, M_, M_, __, __, FR, M_, M8, M_, GR, M_,
/* B */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M8, M_, M_, M_, M_, M_,
/* C */   M_, M_, M8, M_, M8, M8, M8, M_, __, __, __, __, __, __, __, __,
/* D */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
/* E */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
/* F */   M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
};
