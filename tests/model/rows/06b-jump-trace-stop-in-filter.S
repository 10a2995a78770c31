/*
 * A TraceStop range inside a filter range: TraceStop forces FilterEn to 0 (36.4.2.9).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd target
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    RANGE 1, target, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | CTL_ADDR1_STOP
    nop
    jmp target
target:
    REPORT_STATUS
    TRACE_OFF
end:
    ROW_END
