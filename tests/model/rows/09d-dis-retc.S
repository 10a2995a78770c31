/*
 * Row 9d: with DisRETC every return is a TIP.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip first
 * tip second
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_DIS_RETC
    call function
first:
    call function
second:
    TRACE_OFF
    ret
function:
    ret
    ROW_END
