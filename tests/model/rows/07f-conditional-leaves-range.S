/*
 * Row 7f: the same with branches in the TNT buffer, which are written first.
 *
 * libipt: packets (it needs an IP with this TIP.PGD)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 .!
 * tip.pgd
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    testl %ebx, %ebx
    jnz 1f
1:  jz 2f
2:  jz outside
    nop
end:
outside:
    TRACE_OFF
    ROW_END
