/*
 * Row 11f: a hardware interrupt whose handler is in a TraceStop range, FilterEn being 0.
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
    GATE 0x40, handler
    INTERRUPT_WAITS 0x40
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP | CTL_ADDR1_FILTER
    nop
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
