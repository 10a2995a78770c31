/*
 * Row 7d: a taken conditional branch that fills the TNT buffer writes it; row 8d: so does one that is not taken.
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !!!!!!
 * tnt.8 !!!!..
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    xorl %ebx, %ebx
    TRACE_ON
    movl $11, %ecx
1:  loop 1b
    testl %ebx, %ebx
    jnz 1b
    TRACE_OFF
    ROW_END
