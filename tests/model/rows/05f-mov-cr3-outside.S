/*
 * Row 5f: MOV to CR3, ContextEn but not FilterEn: PIP; and TraceStop in a TraceStop range.
 *
 * expect:
 * cbr *
 * pip 72000
 * pip 70000
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, row_start, on /* a filter range without what follows */
    RANGE 1, stop, end
    movl $OTHER_TABLES, %ebx
    movl $TABLES, %esi
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | CTL_ADDR1_STOP
    movq %rbx, %cr3
stop:
    movq %rsi, %cr3
    REPORT_STATUS
    TRACE_OFF
end:
    ROW_END
