/*
 * Row 11c: a hardware interrupt in user mode, USER alone: ContextEn goes to 0, the target is not told.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge user
 * fup user
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 0x40, handler
    INTERRUPT_WAITS 0x40
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    pushq $USER_DATA
    pushq $USER_STACK
    pushq $0x202
    pushq $USER_CODE64
    pushq $user
    iretq
user:
    jmp user
handler:
    BACK_TO_STACK
    TRACE_OFF
    END_OF_INTERRUPT
    ROW_END
