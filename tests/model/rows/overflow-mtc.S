/*
 * MTC packets that are due in an overflow are lost; those behind it come at their time (36.3.8.2).
 *
 * options: profile=skylake, ovf=33:2, seed=2
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * ovf
 * fup there
 * mtc *
 * mtc *
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_MTC_EN
    jmp *lost
1:  .rept 3 * 146 + 20
    nop
    .endr
    jmp *to_there
there:
    .rept 2 * 146
    nop
    .endr
    TRACE_OFF
    ROW_END
    .data
    .balign 8
lost:
    .quad 1b
to_there:
    .quad there
