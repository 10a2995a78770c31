/*
 * Row 12f: a software interrupt whose handler is in a TraceStop range, FilterEn being 0.
 *
 * expect:
 * cbr *
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, handler, end
    RANGE 1, row_start, on
    GATE 0x82, handler
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP | CTL_ADDR1_FILTER
    nop

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
