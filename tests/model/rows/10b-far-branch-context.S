/*
 * Rows 10b, 10c: far branches between CPL 0 and 3. With USER only, IRETQ to user mode sets ContextEn, SYSCALL
 * clears it (no IP), SYSRET sets it again.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge user
 * tip.pgd
 * tip.pge after_syscall
 * fup leaves
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 0x81, back
    SYSCALL_TO system_call
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    IRET_TO USER_CODE64, USER_DATA, user
user:
    nop
    syscall
after_syscall:
    nop
leaves:
    int $0x81
system_call:
    sysretq
    USER_END back
    ROW_END
