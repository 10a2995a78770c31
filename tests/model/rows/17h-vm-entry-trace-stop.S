/*
 * Row 17h: VM entry into a TraceStop range.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip.pgd guest
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, guest, end
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    vmlaunch
    nop
    HOST_REPORTS_STATUS
    GUEST
end:
    ROW_END
