/* Of which kind instructions are, and where to: SDM "COFI Type for Branch Instructions" (36.2.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/pt/instruction/instruction_rows.h"

static void test_near_branches(void **state)
{
    (void)state;
    static const struct row rows[] = {
        NEAR(M64, "\x74\xFE", INSTRUCTION_JCC, -2, 8),
        NEAR(M64, "\x66\x7F\x7F", INSTRUCTION_JCC, 127, 8), /* 66H is ignored in 64-bit mode */
        NEAR(M32, "\x74\x80", INSTRUCTION_JCC, -128, 4),
        NEAR(M32, "\x66\x74\x80", INSTRUCTION_JCC, -128, 2), /* and truncates elsewhere */
        NEAR(M16, "\x74\x80", INSTRUCTION_JCC, -128, 2),
        NEAR(M16, "\x66\x74\x80", INSTRUCTION_JCC, -128, 4),
        NEAR(M64, "\x0F\x85\xFC\xFF\xFF\xFF", INSTRUCTION_JCC, -4, 8),
        NEAR(M64, "\x66\x0F\x8F\1\2\3\4", INSTRUCTION_JCC, 0x04030201, 8),
        NEAR(M32, "\x66\x0F\x80\xFE\xFF", INSTRUCTION_JCC, -2, 2),
        NEAR(M16, "\x0F\x80\1\x80", INSTRUCTION_JCC, -0x7FFF, 2),
        NEAR(M16, "\x66\x0F\x80\1\2\3\x84", INSTRUCTION_JCC, -0x7BFCFDFF, 4),
        NEAR(M64, "\xE0\xFE", INSTRUCTION_JCC, -2, 8), /* LOOPNE to JRCXZ */
        NEAR(M64, "\xE1\xFE", INSTRUCTION_JCC, -2, 8),
        NEAR(M64, "\x67\xE2\xFE", INSTRUCTION_JCC, -2, 8), /* the address size is the counter's */
        NEAR(M32, "\x67\xE3\xFE", INSTRUCTION_JCC, -2, 4),
        NEAR(M64, "\xEB\x05", INSTRUCTION_JMP_DIRECT, 5, 8),
        NEAR(M64, "\xE9\1\2\3\x84", INSTRUCTION_JMP_DIRECT, -0x7BFCFDFF, 8),
        NEAR(M64, "\x66\xE9\1\2\3\4", INSTRUCTION_JMP_DIRECT, 0x04030201, 8),
        NEAR(M64, "\x48\xE8\1\2\3\4", INSTRUCTION_CALL_DIRECT, 0x04030201, 8),
        NEAR(M32, "\xE8\1\2\3\4", INSTRUCTION_CALL_DIRECT, 0x04030201, 4),
        NEAR(M32, "\x66\xE8\1\2", INSTRUCTION_CALL_DIRECT, 0x0201, 2),
        NEAR(M16, "\xE8\1\2", INSTRUCTION_CALL_DIRECT, 0x0201, 2),
        NEAR(M64, "\xC3", INSTRUCTION_RET, 0, 8),
        NEAR(M64, "\xF3\x66\xC3", INSTRUCTION_RET, 0, 8),
        NEAR(M64, "\xC2\1\2", INSTRUCTION_RET, 0, 8),
        NEAR(M32, "\x66\xC3", INSTRUCTION_RET, 0, 2),
        NEAR(M16, "\xC2\1\2", INSTRUCTION_RET, 0, 2),
        NEAR(M64, "\xFF\xE0", INSTRUCTION_JMP_INDIRECT, 0, 8),
        NEAR(M64, "\x3E\xFF\x24\x25\1\2\3\4", INSTRUCTION_JMP_INDIRECT, 0, 8),
        NEAR(M32, "\x66\xFF\x25\1\2\3\4", INSTRUCTION_JMP_INDIRECT, 0, 2),
        NEAR(M64, "\x41\xFF\xD0", INSTRUCTION_CALL_INDIRECT, 0, 8),
        NEAR(M16, "\x66\xFF\x16\1\2", INSTRUCTION_CALL_INDIRECT, 0, 4),
    };
    CHECK_ROWS(rows);
}

static void test_far_transfers(void **state)
{
    (void)state;
    static const struct row rows[] = {
        ROW(M32, "\x9A\1\2\3\4\5\6", INSTRUCTION_FAR_CALL),
        ROW(M32, "\x66\x9A\1\2\5\6", INSTRUCTION_FAR_CALL),
        ROW(M16, "\x9A\1\2\5\6", INSTRUCTION_FAR_CALL),
        ROW(M16, "\x66\xEA\1\2\3\4\5\6", INSTRUCTION_FAR_JUMP),
        ROW(M32, "\xEA\1\2\3\4\5\6", INSTRUCTION_FAR_JUMP),
        ROW(M64, "\x48\xFF\x1D\1\2\3\4", INSTRUCTION_FAR_CALL),
        ROW(M64, "\xFF\x28", INSTRUCTION_FAR_JUMP),
        ROW(M64, "\xCC", INSTRUCTION_FAR_CALL),
        ROW(M64, "\xCD\x80", INSTRUCTION_FAR_CALL),
        ROW(M32, "\xCE", INSTRUCTION_FAR_CALL),
        ROW(M64, "\xF1", INSTRUCTION_FAR_CALL),
        ROW(M64, "\x0F\x05", INSTRUCTION_FAR_CALL),
        ROW(M32, "\x0F\x34", INSTRUCTION_FAR_CALL),
        ROW(M64, "\xCB", INSTRUCTION_FAR_RETURN),
        ROW(M64, "\x48\xCA\1\2", INSTRUCTION_FAR_RETURN),
        ROW(M64, "\x48\xCF", INSTRUCTION_FAR_RETURN),
        ROW(M64, "\x48\x0F\x07", INSTRUCTION_FAR_RETURN),
        ROW(M64, "\x0F\x35", INSTRUCTION_FAR_RETURN),
        ROW(M32, "\x0F\xAA", INSTRUCTION_FAR_RETURN),
        ROW(M64, "\xF3\x0F\x01\xEC", INSTRUCTION_FAR_RETURN), /* UIRET */
        ROW(M64, "\xF2\x0F\x01\xCA", INSTRUCTION_FAR_RETURN), /* ERETS */
        ROW(M64, "\xF3\x0F\x01\xCA", INSTRUCTION_FAR_RETURN), /* ERETU */
        ROW(M64, "\x0F\x01\xC2", INSTRUCTION_VM_ENTRY),
        ROW(M64, "\x0F\x01\xC3", INSTRUCTION_VM_ENTRY),
    };
    CHECK_ROWS(rows);
}

static void test_other_kinds(void **state)
{
    (void)state;
    static const struct row rows[] = {
        ROW(M64, "\x0F\x22\xD8", INSTRUCTION_MOV_CR3),
        ROW(M64, "\x41\x0F\x22\xDF", INSTRUCTION_MOV_CR3),
        ROW(M32, "\x0F\x22\x1C", INSTRUCTION_MOV_CR3), /* mod counts as 3 */
        PLAIN(M64, "\x44\x0F\x22\xD8"),                /* CR11, which is not there */
        PLAIN(M64, "\x0F\x23\xD8"),                    /* DR3 */
        ROW(M64, "\xF3\x0F\xAE\xE0", INSTRUCTION_PTWRITE),
        ROW(M64, "\xF3\x48\x0F\xAE\x64\x25\1", INSTRUCTION_PTWRITE),
        ROW(M64, "\xF2\xF3\x0F\xAE\x20", INSTRUCTION_PTWRITE), /* the last of them counts */
        PLAIN(M64, "\xF3\xF2\x0F\xAE\x20"),
        PLAIN(M64, "\xF2\x0F\x01\xEC"),
        PLAIN(M64, "\xF3\x0F\x01\xEA"), /* SAVEPREVSSP */
    };
    CHECK_ROWS(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_branches),
        cmocka_unit_test(test_far_transfers),
        cmocka_unit_test(test_other_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
