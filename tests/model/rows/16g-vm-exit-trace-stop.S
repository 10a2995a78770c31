/*
 * Row 16g: VM exit into a TraceStop range.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip guest
 * fup exits
 * pip 70000
 * tip.pgd host
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, host, end
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    vmlaunch
    nop
    HOST_REPORTS_STATUS
end:
    GUEST
    ROW_END
