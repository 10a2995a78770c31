/*
 * Row 13a: a fault with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    GATE 6, handler
    TRACE_ON CTL_DEFAULT & ~CTL_OS

here:
    ud2
resume:
    cli
    TRACE_OFF
    ret
handler:
    addq $2, (%rsp)
    iretq
    ROW_END
