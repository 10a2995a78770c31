/*
 * Row 7f for a compressed return.
 *
 * libipt: packets (it needs an IP with this TIP.PGD)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 .
 * tip.pgd
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    RANGE 1, function, function_end
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | CTL_ADDR1_FILTER
    nop
    call function
end:
    TRACE_OFF
    ret
function:
    testl %ebx, %ebx
    jnz function
    ret
function_end:
    ROW_END
