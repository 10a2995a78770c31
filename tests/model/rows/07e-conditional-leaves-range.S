/*
 * Row 7e: a taken conditional branch that clears FilterEn, the TNT buffer empty: TIP.PGD without IP instead of the
 * TNT bit.
 *
 * libipt: packets (it needs an IP with this TIP.PGD)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    testl %ebx, %ebx
    jz outside
    nop
end:
outside:
    TRACE_OFF
    ROW_END
