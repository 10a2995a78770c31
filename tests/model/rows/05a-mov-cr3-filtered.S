/*
 * Row 5a: MOV to CR3, ContextEn 0 before and after (neither value is the filter's).
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    SET_MSR RTIT_CR3_MATCH, 0x1000
    movl $OTHER_TABLES, %ebx
    TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    movq %rbx, %cr3
    TRACE_OFF
    ROW_END
