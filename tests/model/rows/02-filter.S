/*
 * WRMSR sets TraceEn inside a filter range (row 2d), and outside of it (row 2a).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 * cbr *
 * report 6
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    nop
    TRACE_OFF
end:
    TRACE_ON_AT outside, CTL_DEFAULT | CTL_ADDR0_FILTER
    REPORT_STATUS
    TRACE_OFF outside_off
    ROW_END
