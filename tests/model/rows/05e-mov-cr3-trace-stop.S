/*
 * Row 5e: MOV to CR3 in a TraceStop range that was entered by running on.
 *
 * libipt: packets (it takes a TIP.PGD with an IP for a branch)
 * perf: packets (it does not know MOV to CR3, and takes the TIP.PGD for the next branch's)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000
 * tip.pgd next
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, stop, end
    movl $OTHER_TABLES, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    nop
stop:
    movq %rbx, %cr3
next:
    REPORT_STATUS
    TRACE_OFF
end:
    ROW_END
