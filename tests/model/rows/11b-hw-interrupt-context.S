/*
 * Row 11b: a hardware interrupt in user mode, OS alone: ContextEn goes to 1.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 * tip.pge handler
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 0x40, handler
    INTERRUPT_WAITS 0x40
    TRACE_ON CTL_DEFAULT & ~CTL_USER
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
