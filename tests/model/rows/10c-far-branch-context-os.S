/*
 * Rows 10b, 10c with OS only: IRETQ to user mode clears ContextEn (no IP), SYSCALL sets it, SYSRET clears it.
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
    SYSCALL_TO system_call
    TRACE_ON CTL_DEFAULT & ~CTL_USER
    IRET_TO USER_CODE64, USER_DATA, user
user:
    syscall
    int $0x81
system_call:
    sysretq
    USER_END back
    ROW_END
