/*
 * Rows 10b, 10c with OS alone: IRETQ to user mode clears ContextEn (no IP), SYSCALL sets it, SYSRET clears it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 * tip.pge system_call
 * tip.pgd
 * tip.pge back
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 0x81, back
    SET_MSR 0xc0000081, (0x2b << 48) | (0x18 << 32)
    SET_MSR 0xc0000082, system_call
    SET_MSR 0xc0000084, 0x200
    TRACE_ON CTL_DEFAULT & ~CTL_USER
    IRET_TO USER_CODE64, USER_DATA, user
user:
    syscall
    int $0x81
system_call:
    sysretq
back:
    BACK_TO_STACK
    TRACE_OFF
    ROW_END
