/*
 * Row 11d: a hardware interrupt whose handler is in a TraceStop range.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip.pgd handler
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, handler, end
    GATE 0x40, handler
    INTERRUPT_WAITS 0x40
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    sti
    nop
here:
resume:
    cli
    REPORT_STATUS
    TRACE_OFF
    ret
handler:
    END_OF_INTERRUPT
    iretq
end:
    ROW_END
