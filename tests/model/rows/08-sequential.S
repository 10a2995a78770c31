/*
 * Rows 7 and 8: running on out of the filter range, also over a branch that is not taken, does not clear FilterEn;
 * the next taken branch does.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 ..
 * tip.pgd target
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    testl %ebx, %ebx
    jnz on
end:
    nop
    jnz on
    jmp target
target:
    TRACE_OFF
    ROW_END
