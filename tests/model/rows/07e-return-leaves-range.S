/*
 * Row 7e for a compressed return: a call at the very end of the range, to a function in another one.
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
    RANGE 1, function, function_end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | CTL_ADDR1_FILTER
    nop
    call function
end:
    TRACE_OFF
    ret
function:
    nop
    ret
function_end:
    ROW_END
