/*
 * Row 12a: a software interrupt with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    GATE 0x82, handler
    TRACE_ON CTL_DEFAULT & ~CTL_OS

here:
    int $0x82
resume:
    cli
    TRACE_OFF
    ret
handler:
    iretq
    ROW_END
