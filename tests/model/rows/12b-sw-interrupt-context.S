/*
 * Row 12b: a software interrupt in user mode, OS alone: ContextEn goes to 1.
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
    GATE 0x82, handler
    TRACE_ON CTL_DEFAULT & ~CTL_USER
    IRET_TO USER_CODE64, USER_DATA, user
user:
here:
    int $0x82
handler:
    BACK_TO_STACK
    TRACE_OFF
    ROW_END
