/*
 * OVF has a CYC packet before it, below the threshold too, which counts the overflow's cycles; the counter starts again
 * there (36.3.8.2, Table 36-35). CycThresh = 5: 16 cycles.
 *
 * options: profile=skylake, ovf=33:2
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * cyc a
 * ovf
 * fup there
 * tip back
 * cyc 10
 * tip again
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_CYC_EN | 5 << 19
    jmp *lost
1:  .rept 8
    nop
    .endr
    jmp *to_there
there:
    .rept 7
    nop
    .endr
    jmp *to_back
back:
    .rept 7
    nop
    .endr
    jmp *to_again
again:
    TRACE_OFF
    ROW_END
    .data
    .balign 8
lost:
    .quad 1b
to_there:
    .quad there
to_back:
    .quad back
to_again:
    .quad again
