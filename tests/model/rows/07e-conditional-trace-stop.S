/*
 * Row 7e: a taken conditional branch into a TraceStop range. Entering it by running on, over a branch that is not
 * taken, does not stop (36.2.4.3).
 *
 * libipt: packets (it needs an IP with this TIP.PGD)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 .!
 * tip.pgd
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, range, end
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    testl %ebx, %ebx
    jnz range
range:
    jz outside
    nop
    STOP_TARGET
    ret
end:
outside:
    jz target
    ROW_END
