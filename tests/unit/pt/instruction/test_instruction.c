/* How long instructions are, and which bytes are none: the manual's rules. Zydis judges all the rest in
 * tests/system/decode/instructions.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/pt/instruction/instruction_rows.h"

static void test_memory_operands(void **state)
{
    (void)state;
    static const struct row rows[] = {
        PLAIN(M64, "\x8B\xC4"),                 /* a register, no SIB */
        PLAIN(M64, "\x8B\x03"),                 /* [rbx] */
        PLAIN(M64, "\x8B\x05\1\2\3\4"),         /* [rip + 4 bytes] */
        PLAIN(M64, "\x8B\x04\x24"),             /* [rsp] */
        PLAIN(M64, "\x8B\x04\x25\1\2\3\4"),     /* SIB without a base */
        PLAIN(M64, "\x41\x8B\x04\x25\1\2\3\4"), /* REX.B does not change that: not r13 */
        PLAIN(M64, "\x8B\x44\x25\1"),           /* a base again: mod is 1 */
        PLAIN(M64, "\x8B\x84\x25\1\2\3\4"),     /* and 2 */
        PLAIN(M64, "\x8B\x45\1"),               /* [rbp + byte] */
        PLAIN(M64, "\x8B\x80\1\2\3\4"),         /* [rax + 4 bytes] */
        PLAIN(M32, "\x8B\x05\1\2\3\4"),         /* [4 bytes] */
        PLAIN(M32, "\x8B\x06"),                 /* [esi] */
        PLAIN(M16, "\x8B\x06\1\2"),             /* [2 bytes] */
        PLAIN(M16, "\x8B\x04"),                 /* [si]: no SIB */
        PLAIN(M16, "\x8B\x05"),                 /* [di] */
        PLAIN(M16, "\x8B\x46\1"),               /* [bp + byte] */
        PLAIN(M16, "\x8B\x84\1\2"),             /* [si + 2 bytes] */
        PLAIN(M16, "\x67\x8B\x84\x25\1\2\3\4"), /* 67H: 32-bit addresses */
        PLAIN(M32, "\x67\x8B\x06\1\2"),         /* and 16-bit ones */
        PLAIN(M64, "\x67\x8B\x06"),             /* 32-bit ones in 64-bit mode */
        PLAIN(M64, "\x67\x8B\x05\1\2\3\4"),
        PLAIN(M64, "\xF0\x48\x0F\xB1\x14\x25\1\2\3\4"), /* LOCK CMPXCHG */
    };
    CHECK_ROWS(rows);
}

/* SDM Volume 2, tables 2-1 and 2-2. 00H follows ModRM: a SIB byte with a base. */
static void test_each_modrm(void **state)
{
    (void)state;
    for (unsigned modrm = 0; modrm < 256; modrm++) {
        static const uint8_t displacements[2][4] = {{0, 1, 2, 0}, {0, 1, 4, 0}};
        uint32_t mod = modrm >> 6, rm = modrm & 7;
        for (int mode = M16; mode <= M64; mode++) {
            uint32_t expected = 2u + displacements[mode != M16][mod];
            if (mode == M16)
                expected += mod == 0 && rm == 6 ? 2 : 0;
            else
                expected += (mod != 3 && rm == 4 ? 1u : 0u) + (mod == 0 && rm == 5 ? 4u : 0u);
            const char bytes[2] = {(char)0x8B, (char)modrm};
            struct instruction ours;
            assert_int_equal(decode_filled(&ours, (enum instruction_mode)mode, bytes, 2, 15, 0), INSTRUCTION_DECODED);
            assert_int_equal(ours.length, expected);
        }
    }
}

static void test_immediates(void **state)
{
    (void)state;
    static const struct row rows[] = {
        PLAIN(M16, "\x05\1\2"),
        PLAIN(M16, "\x66\x05\1\2\3\4"),
        PLAIN(M32, "\x05\1\2\3\4"),
        PLAIN(M32, "\x66\x05\1\2"),
        PLAIN(M64, "\x05\1\2\3\4"),
        PLAIN(M64, "\x66\x05\1\2"),
        PLAIN(M64, "\x48\x05\1\2\3\4"),
        PLAIN(M64, "\x66\x48\x05\1\2\3\4"), /* REX.W goes before 66H */
        PLAIN(M64, "\x48\x66\x05\1\2"),     /* REX does not count before a prefix */
        PLAIN(M64, "\x48\x41\x05\1\2\3\4"), /* nor before another REX */
        PLAIN(M64, "\xB8\1\2\3\4"),
        PLAIN(M64, "\x48\xB8\1\2\3\4\5\6\7\x8"),
        PLAIN(M64, "\x66\xB8\1\2"),
        PLAIN(M64, "\x48\x41\xB8\1\2\3\4"),
        PLAIN(M16, "\xB8\1\2"),
        PLAIN(M64, "\xB0\1"),
        PLAIN(M32, "\x48"), /* DEC */
        PLAIN(M16, "\x4F"),
        PLAIN(M64, "\xA1\1\2\3\4\5\6\7\x8"),
        PLAIN(M64, "\x67\xA1\1\2\3\4"),
        PLAIN(M64, "\x66\xA1\1\2\3\4\5\6\7\x8"),
        PLAIN(M32, "\xA2\1\2\3\4"),
        PLAIN(M32, "\x67\xA2\1\2"),
        PLAIN(M16, "\xA3\1\2"),
        PLAIN(M16, "\x67\xA0\1\2\3\4"),
        PLAIN(M64, "\xF6\xC0\1"),
        PLAIN(M64, "\xF6\xC8\1"),
        PLAIN(M64, "\xF6\xD0"),
        PLAIN(M64, "\xF6\x15\1\2\3\4"),
        PLAIN(M64, "\xF7\x05\1\2\3\4\1\2\3\4"),
        PLAIN(M64, "\x66\xF7\xC8\1\2"),
        PLAIN(M64, "\xF7\xD8"),
        PLAIN(M64, "\x48\xF7\xC0\1\2\3\4"),
        PLAIN(M64, "\xC8\1\2\3"), /* ENTER */
        PLAIN(M64, "\x48\xC8\1\2\3"),
        PLAIN(M16, "\xC8\1\2\3"),
        PLAIN(M64, "\x68\1\2\3\4"),
        PLAIN(M64, "\x66\x68\1\2"),
        PLAIN(M64, "\x6A\1"),
        PLAIN(M64, "\x69\xC0\1\2\3\4"),
        PLAIN(M64, "\x6B\x04\x25\1\2\3\4\1"),
        PLAIN(M64, "\x83\x45\1\1"),
        PLAIN(M64, "\x81\x45\1\1\2\3\4"),
        PLAIN(M64, "\x48\xC7\x04\x25\1\2\3\4\1\2\3\4"),
        PLAIN(M64, "\xC6\x45\1\1"),
        PLAIN(M32, "\x82\xC0\1"),
        PLAIN(M32, "\xD4\x0A"),
        PLAIN(M64, "\xC1\xE0\1"),
        PLAIN(M64, "\xD1\xE0"),
        PLAIN(M64, "\xC7\xF8\1\2\3\4"), /* XBEGIN: no branch to Intel PT */
        PLAIN(M64, "\x66\xC7\xF8\1\2"),
        PLAIN(M64, "\xC6\xF8\1"),   /* XABORT */
        PLAIN(M64, "\x0F\x01\xD5"), /* XEND */
    };
    CHECK_ROWS(rows);
}

static void test_other_maps(void **state)
{
    (void)state;
    static const struct row rows[] = {
        PLAIN(M64, "\x0F\x0B"),
        PLAIN(M64, "\x0F\xA2"),
        PLAIN(M64, "\x0F\xC8"),
        PLAIN(M64, "\x0F\x77"),
        PLAIN(M64, "\x0F\xB9\xC0"),                 /* UD1: with ModRM */
        PLAIN(M64, "\x0F\xFF\x45\1"),               /* UD0: likewise */
        PLAIN(M64, "\xF3\x0F\x1E\xFA"),             /* ENDBR64 */
        PLAIN(M64, "\x66\x0F\x1F\x84\x25\1\2\3\4"), /* a long NOP */
        PLAIN(M64, "\x0F\x70\xC0\1"),
        PLAIN(M64, "\x0F\xBA\xE0\1"),
        PLAIN(M64, "\x0F\xA4\xC0\1"),
        PLAIN(M64, "\x0F\xA5\xC0"),
        PLAIN(M64, "\x66\x0F\x38\x00\xC0"),
        PLAIN(M64, "\x0F\x38\xF0\x45\1"),
        PLAIN(M64, "\x66\x0F\x3A\x0F\xC0\1"),
        PLAIN(M64, "\x66\x0F\x3A\x0F\x05\1\2\3\4\1"),
        PLAIN(M64, "\x0F\x20\x04"), /* MOV CR, DR: mod counts as 3 */
        PLAIN(M64, "\x0F\x23\x05"),
        PLAIN(M32, "\x0F\x21\x84"),
        PLAIN(M16, "\x0F\x20\x06"),
        PLAIN(M64, "\x0F\x01\xCA"),             /* CLAC */
        PLAIN(M64, "\x0F\x01\xC1"),             /* VMCALL */
        PLAIN(M64, "\x0F\x01\xEE"),             /* RDPKRU */
        PLAIN(M64, "\x0F\x01\x14\x25\1\2\3\4"), /* LGDT */
        PLAIN(M64, "\x0F\xAE\xE8"),             /* LFENCE */
        PLAIN(M64, "\x0F\xAE\x20"),             /* XSAVE */
        PLAIN(M64, "\xF3\x0F\xAE\xE8"),         /* INCSSP */
        PLAIN(M64, "\x0F\x22\xC0"),             /* MOV to CR0 */
        PLAIN(M64, "\x0F\x20\xD8"),             /* MOV from CR3 */
        PLAIN(M64, "\xF3\x0F\xA7\xC8"),         /* XCRYPTECB */
        PLAIN(M64, "\x8F\xC0"),                 /* POP */
    };
    CHECK_ROWS(rows);
}

static void test_vex_and_evex(void **state)
{
    (void)state;
    static const struct row rows[] = {
        PLAIN(M64, "\xC5\xF8\x77"), /* VZEROUPPER: no ModRM */
        PLAIN(M64, "\xC5\xF9\x6F\x05\1\2\3\4"),
        PLAIN(M64, "\xC5\xF9\x70\xC0\1"),
        PLAIN(M64, "\xC4\xE1\x79\x70\xC0\1"),
        PLAIN(M64, "\xC4\xE2\x79\x18\x45\1"),
        PLAIN(M64, "\xC4\xE3\x79\x04\xC0\1"),
        PLAIN(M64, "\xC5\x05\x58\xC0"), /* no LDS, whatever the payload */
        PLAIN(M64, "\xC4\x62\x05\x00\xC0"),
        PLAIN(M64, "\x62\x71\x7C\x48\x58\x40\1"),
        PLAIN(M64, "\x62\xF1\x7C\x48\xC2\xC8\1"),
        PLAIN(M64, "\x62\xF2\x7D\x48\x18\x80\1\2\3\4"),
        PLAIN(M64, "\x62\xF3\x7D\x48\x25\xC0\1"),
        PLAIN(M64, "\x62\xF1\x7F\x48\x7A\xC0"), /* opcodes that 0FH has not */
        PLAIN(M64, "\x62\xF5\x7C\x48\x58\xC0"), /* AVX512-FP16's maps */
        PLAIN(M64, "\x62\xF6\x7D\x48\x98\xC0"),
        PLAIN(M64, "\xC4\xE7\x7B\xF8\xC0\1\2\3\4"), /* URDMSR */
        PLAIN(M32, "\xC5\xF8\x77"),
        PLAIN(M16, "\xC5\xF8\x58\x06\1\2"),
        PLAIN(M32, "\xC4\xE3\x79\x04\xC0\1"),
        PLAIN(M32, "\x62\xF1\x7C\x48\xC2\xC8\1"),
        PLAIN(M32, "\xC5\x05\1\2\3\4"), /* LDS */
        PLAIN(M32, "\xC4\x45\1"),       /* LES */
        PLAIN(M32, "\x62\x04\x24"),     /* BOUND */
        PLAIN(M16, "\xC5\x06\1\2"),
        PLAIN(M16, "\x62\xBF\1\2"),
    };
    CHECK_ROWS(rows);
}

/* Intel APX Architecture Specification, 3.1.1 "REX2 Prefix". */
static void test_rex2(void **state)
{
    (void)state;
    static const struct row rows[] = {
        PLAIN(M64, "\xD5\x10\x01\xC8"),               /* ADD to R16 */
        PLAIN(M64, "\xD5\x18\xB8\1\2\3\4\5\6\7\x08"), /* W: eight bytes */
        PLAIN(M64, "\xD5\x00\xB8\1\2\3\4"),
        PLAIN(M64, "\x66\xD5\x10\xB8\1\2"),
        PLAIN(M64, "\xD5\x80\x1F\x84\x25\1\2\3\4"), /* after 0FH */
        PLAIN(M64, "\xD5\xC0\x22\xD8"),             /* MOV to CR19: R4 counts */
        NEAR(M64, "\xD5\x11\xFF\xE0", INSTRUCTION_JMP_INDIRECT, 0, 8),
        NEAR(M64, "\xD5\x00\xA1\1\2\3\4\5\6\7\x08", INSTRUCTION_JMP_INDIRECT, 0, 8), /* JMPABS */
        ROW(M64, "\xD5\x80\x22\xD8", INSTRUCTION_MOV_CR3),
        PLAIN(M32, "\xD5\x0A"), /* AAD */
    };
    CHECK_ROWS(rows);
    CHECK_REFUSED(M64, "\xD5\x00\xE8\1\2\3\4"); /* rows that are not there */
    CHECK_REFUSED(M64, "\xD5\x00\x74\1");
    CHECK_REFUSED(M64, "\xD5\x00\xA0\1\2\3\4\5\6\7\x08");
    CHECK_REFUSED(M64, "\xD5\x80\x84\1\2\3\4");
    CHECK_REFUSED(M64, "\xD5\x00\x0F\x05"); /* and what is no opcode there */
    CHECK_REFUSED(M64, "\xD5\x00\xC5\xF8\x77");
    CHECK_REFUSED(M64, "\xD5\x00\xD5\x00\x90");
    CHECK_REFUSED(M64, "\xD5\x00\x66\x90");
}

/* Intel APX Architecture Specification, 3.1.2 "Extended EVEX Prefix": map 4. All encodings of the tests of Intel's XED
 * have these lengths. */
static void test_apx(void **state)
{
    (void)state;
    static const struct row rows[] = {
        PLAIN(M64, "\x62\xF4\x7C\x18\x01\xC8"), /* ADD to a new register */
        PLAIN(M64, "\x62\xFC\x78\x1C\x03\x84\x25\1\2\3\4"),
        PLAIN(M64, "\x62\xF4\x7C\x0C\x80\xC0\1"), /* ADD without flags */
        PLAIN(M64, "\x62\xF4\x7C\x18\x81\xC0\1\2\3\4"),
        PLAIN(M64, "\x62\xF4\x7D\x18\x81\xC0\1\2"),     /* pp: 16 bits */
        PLAIN(M64, "\x62\xF4\xFC\x18\x81\xC0\1\2\3\4"), /* W: 64 bits */
        PLAIN(M64, "\x62\xF4\xFD\x18\x81\xC0\1\2\3\4"),
        PLAIN(M64, "\x62\xF4\x7C\x18\x69\x05\1\2\3\4\1\2\3\4"), /* IMUL */
        PLAIN(M64, "\x62\xF4\x7D\x18\x69\xC0\1\2"),
        PLAIN(M64, "\x62\xF4\x7C\x18\x6B\x45\1\2"),
        PLAIN(M64, "\x62\xF4\x7C\x18\x24\xC0\1"), /* SHLD, SHRD */
        PLAIN(M64, "\x62\xF4\x7C\x18\x2C\xC0\1"),
        PLAIN(M64, "\x62\xF4\x7C\x18\xC1\xE0\1"),
        PLAIN(M64, "\x62\xF4\x04\x02\x39\xC0"), /* CCMP */
        PLAIN(M64, "\x62\xF4\x04\x02\x83\xF8\1"),
        PLAIN(M64, "\x62\xF4\x04\x02\x81\xF8\1\2\3\4"),
        PLAIN(M64, "\x62\xF4\x04\x02\x85\xC0"), /* CTEST */
        PLAIN(M64, "\x62\xF4\x04\x02\xF6\xC0\1"),
        PLAIN(M64, "\x62\xF4\x05\x02\xF7\xC0\1\2"),
        PLAIN(M64, "\x62\xF4\x04\x02\xF7\xC8\1\2\3\4"),
        PLAIN(M64, "\x62\xF4\x7C\x18\xF7\xD0"),         /* NOT: no immediate */
        PLAIN(M64, "\x62\xF4\x7C\x1C\x45\xC0"),         /* CFCMOV */
        PLAIN(M64, "\x62\xF4\x7F\x18\x45\xC0"),         /* SETcc */
        PLAIN(M64, "\x62\xF4\x7C\x18\xFF\xF0"),         /* PUSH2: no branch */
        PLAIN(M64, "\x62\xF4\x7C\x18\x8F\xC0"),         /* POP2 */
        PLAIN(M64, "\x62\xF4\x7C\x08\x60\x05\1\2\3\4"), /* MOVBE */
    };
    CHECK_ROWS(rows);
    CHECK_REFUSED(M64, "\x62\xF4\x7C\x18\x05\1\2\3\4"); /* opcodes that are not there */
    CHECK_REFUSED(M64, "\x62\xF4\x7C\x18\xE8\1\2\3\4");
    CHECK_REFUSED(M64, "\x62\xF4\x7C\x18\x0F\x05");
    CHECK_REFUSED(M64, "\x62\xF4\x7C\x18\xC3");
    CHECK_REFUSED(M32, "\x62\xF4\x7C\x18\x01\xC8"); /* no APX outside 64-bit mode */
}

static void test_refused(void **state)
{
    (void)state;
    static const char not_in_64[] = "\x06\x07\x0E\x16\x17\x1E\x1F\x27\x2F\x37\x3F\x60\x61\x82\x9A\xCE\xD4\xD6\xEA";
    static const char not_after_0f[] = "\x04\x0A\x0C\x0E\x0F\x24\x25\x26\x27\x36\x39\x3B\x3C\x3D\x3E\x3F\x7A\x7B";
    for (const char *opcode = not_in_64; *opcode; opcode++) {
        struct instruction ours;
        char bytes[2] = {*opcode, 0};
        assert_int_equal(decode_filled(&ours, INSTRUCTION_32, bytes, 1, 15, 0xC0), INSTRUCTION_DECODED);
        if (*opcode != (char)0x82 && *opcode != (char)0xD4)
            assert_int_equal(ours.length, *opcode == (char)0x9A || *opcode == (char)0xEA ? 7 : 1);
        assert_int_equal(decode_filled(&ours, INSTRUCTION_64, bytes, 1, 15, 0xC0), INSTRUCTION_INVALID);
    }
    for (const char *opcode = not_after_0f; *opcode; opcode++) {
        char bytes[3] = {0x0F, *opcode, 0}; /* 7AH and 7BH are decoded with ModRM: they exist after EVEX */
        for (int mode = 0; mode < 3; mode++)
            check_refused((enum instruction_mode)mode, bytes, sizeof(bytes));
    }
    CHECK_REFUSED(M64, "\xFF\xF8");             /* group 5 has no eighth member */
    CHECK_REFUSED(M64, "\x8F\xE8\x78\xC2\xC0"); /* XOP */
    CHECK_REFUSED(M64, "\xC4\xE0\x79\x58\xC0"); /* VEX maps 0, 4, 10 */
    CHECK_REFUSED(M64, "\xC4\xE4\x79\x58\xC0");
    CHECK_REFUSED(M64, "\xC4\xEA\x79\x58\xC0");
}

static void test_longest(void **state)
{
    (void)state;
    static const struct row rows[] = {
        PLAIN(M64, "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"),
        PLAIN(M64, "\x2E\x36\x3E\x26\x64\x65\x66\x67\xF0\xF2\xF3\x48\x0F\x1F\xC0"), /* each prefix once */
        PLAIN(M64, "\x64\x67\xF0\x48\x81\x84\x25\1\2\3\4\1\2\3\4"),
    };
    CHECK_ROWS(rows);
    check_refused(INSTRUCTION_64, "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 16);
    check_refused(INSTRUCTION_64, "\x64\x65\x67\xF0\x48\x81\x84\x25\1\2\3\4\1\2\3\4", 16);
    check_refused(INSTRUCTION_64, "\x48\x48\x48\x48\x48\x48\x48\x48\x48\x48\x48\x48\x48\x48\x48", 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_operands), cmocka_unit_test(test_each_modrm),   cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_other_maps),      cmocka_unit_test(test_vex_and_evex), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_longest),         cmocka_unit_test(test_rex2),         cmocka_unit_test(test_apx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
