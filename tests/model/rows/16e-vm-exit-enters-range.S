/*
 * Row 17h: VM entry that clears FilterEn; row 16e: VM exit that sets it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip.pgd guest
 * pip 70000
 * tip.pge host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    vmlaunch
host:
    HOST_END
end:
    GUEST
    ROW_END
