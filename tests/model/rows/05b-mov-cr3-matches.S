/*
 * Row 5b: MOV to CR3 sets ContextEn.
 *
 * expect:
 * cbr *
 * pip 72000
 * mode.exec cs.l
 * tip.pge target
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    SET_MSR RTIT_CR3_MATCH, OTHER_TABLES
    movl $OTHER_TABLES, %ebx
    TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    jmp 1f
1:  movq %rbx, %cr3
target:
    nop
    TRACE_OFF
    ROW_END
