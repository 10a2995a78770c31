/*
 * Row 6b: a jump into a TraceStop range.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !
 * tip.pgd target
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, target, end
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    testl %ebx, %ebx
    jz 1f
1:  jmp target
    nop
target:
    jmp 2f /* not traced any more */
2:  REPORT_STATUS
    TRACE_OFF
end:
    ROW_END
