/*
 * Row 16a: VM exit into a TraceStop range while FilterEn is 0: PIP, TraceStop.
 *
 * expect:
 * cbr *
 * pip 72000, nr
 * pip 70000
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, row_start, on
    RANGE 1, host, end
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | CTL_ADDR1_STOP
    nop
    vmlaunch
    HOST_REPORTS_STATUS
end:
    GUEST
    ROW_END
