/*
 * Row 10d: a far branch into a TraceStop range.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd stop
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, stop, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    ljmp *pointer
    nop
stop:
    REPORT_STATUS
    TRACE_OFF
    ret
end:
    .data
    .balign 8
pointer:
    .long stop
    .word CODE64
    .text
    ROW_END
