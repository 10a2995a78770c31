/*
 * Row 13c: a fault in user mode, USER alone: ContextEn goes to 0, the target is not told.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge user
 * fup here
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 6, handler
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    IRET_TO USER_CODE64, USER_DATA, user
user:
here:
    ud2
handler:
    BACK_TO_STACK
    TRACE_OFF
    ROW_END
