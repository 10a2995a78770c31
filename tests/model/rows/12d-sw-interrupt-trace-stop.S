/*
 * Row 12d: a software interrupt whose handler is in a TraceStop range.
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
    GATE 0x82, handler
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP

here:
    int $0x82
resume:
    cli
    REPORT_STATUS
    TRACE_OFF
    ret
handler:
    iretq
end:
    ROW_END
