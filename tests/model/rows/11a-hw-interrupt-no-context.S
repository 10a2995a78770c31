/*
 * Row 11a: a hardware interrupt with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    GATE 0x40, handler
    INTERRUPT_WAITS 0x40
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    sti
    nop
here:
resume:
    cli
    TRACE_OFF
    ret
handler:
    END_OF_INTERRUPT
    iretq
    ROW_END
