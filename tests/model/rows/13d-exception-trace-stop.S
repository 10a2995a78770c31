/*
 * Row 13d: a fault whose handler is in a TraceStop range.
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
    GATE 6, handler
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP

here:
    ud2
resume:
    cli
    REPORT_STATUS
    TRACE_OFF
    ret
handler:
    addq $2, (%rsp)
    iretq
end:
    ROW_END
