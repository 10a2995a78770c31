/*
 * Row 7d for compressed returns: a return to where the call came from is a taken TNT bit.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !!!!!!
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON
    call 1f
    call 1f
    call 1f
    jmp 9f
1:  call 2f
    ret
2:  ret
9:  TRACE_OFF
    ROW_END
