/*
 * Row 5c: MOV to CR3 clears ContextEn: TIP.PGD without IP, no FUP, no PIP.
 *
 * perf: packets (it does not know MOV to CR3, and takes the TIP.PGD for the next branch's)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 */
#include "row.h"

    ROW
    SET_MSR RTIT_CR3_MATCH, TABLES
    movl $OTHER_TABLES, %ebx
    TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    movq %rbx, %cr3
    jmp 1f
1:  TRACE_OFF
    ROW_END
