/*
 * Row 13b: a fault in user mode, OS alone: ContextEn goes to 1.
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
    GATE 6, handler
    TRACE_ON CTL_DEFAULT & ~CTL_USER
    IRET_TO USER_CODE64, USER_DATA, user
user:
here:
    ud2
handler:
    BACK_TO_STACK
    TRACE_OFF
    ROW_END
