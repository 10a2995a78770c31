/*
 * Row 30d: INIT that clears ContextEn (CR3 filter): FUP, TIP.PGD without IP, no PIP. In the ROM, which starts again, the
 * MOV to CR3 is in a TraceStop range (row 5f).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip.pgd
 * pip 70000
 * stop
 */
#include "row.h"

    ROW
    SET_MSR RTIT_ADDR0_A, 0xf0000
    SET_MSR (RTIT_ADDR0_A + 1), 0xfffff
    SET_MSR RTIT_CR3_MATCH, TABLES
    movl $0xfee00300, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP | CTL_CR3_FILTER
    INIT_TO_SELF
    ROW_END
