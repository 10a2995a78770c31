/*
 * Row 8d: a conditional branch that is not taken and fills the TNT buffer writes it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !.!.!.
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    xorl %ebx, %ebx
    TRACE_ON
    testl %ebx, %ebx
    jz 1f
1:  jnz 1b
    jz 2f
2:  jnz 1b
    jz 3f
3:  jnz 1b
    TRACE_OFF
    ROW_END
