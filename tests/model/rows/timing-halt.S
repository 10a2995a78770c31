/*
 * TSC, and CBR, when a CPU that was halted runs again (Tables 36-29 and 36-30), with a CYC packet before them: the cycles in
 * which the clock ran (36.3.6). The local APIC's timer wakes it.
 *
 * expect:
 * cyc 0
 * tsc *
 * tma *
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * cyc ?
 * tsc *
 * tma *
 * cbr *
 * fup woken
 * tip handler
 * cyc ?
 * tip woken
 * fup off
 * cyc ?
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 0x80, handler
    movl $0xfee00000, %ebx
    movl $0x80, 0x320(%rbx)  /* timer: one shot, this vector */
    movl $0xb, 0x3e0(%rbx)   /* by 1 */
    movl $5000, 0x380(%rbx)
    TRACE_ON CTL_DEFAULT | CTL_TSC_EN | CTL_MTC_EN | CTL_CYC_EN | 9 << 14
    sti
    hlt
woken:
    cli
    TRACE_OFF
    ret
    INTERRUPT_HANDLER handler
    ROW_END
