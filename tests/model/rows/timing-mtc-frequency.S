/*
 * MTCFreq, Table 36-6: with 3, every eighth tick of the crystal clock, which are 8 * 146 instructions; the branches wait
 * in their buffer.
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * mtc *
 * mtc *
 * tnt.8 !!!!.
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_MTC_EN | 3 << 14
    movl $5, %ecx
1:  loop 1b
    .rept 2 * 8 * 146 - 4 - 6
    nop
    .endr
    TRACE_OFF
    ROW_END
