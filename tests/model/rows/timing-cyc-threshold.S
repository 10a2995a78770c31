/*
 * Cycle thresholds, 36.3.6.3 and Table 36-14: CycThresh = 5 is 16 cycles; then the next eligible packet has a CYC.
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * tip there
 * cyc 10
 * tip back
 * tip again
 * fup off
 * cyc 1e
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_CYC_EN | 5 << 19
    jmp *jump_there
there:
    .rept 14
    nop
    .endr
    jmp *jump_back
back:
    .rept 10
    nop
    .endr
    jmp *jump_again
again:
    .rept 15
    nop
    .endr
    TRACE_OFF
    ROW_END
    .data
    .balign 8
jump_there:
    .quad there
jump_back:
    .quad back
jump_again:
    .quad again
