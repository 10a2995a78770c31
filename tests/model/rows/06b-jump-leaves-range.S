/*
 * Row 6b: near direct jumps and calls that clear FilterEn: TIP.PGD with the target, and the TNT before it. Row 6c:
 * that set it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd outside
 * tip.pge inside
 * tnt.8 !
 * tip.pgd function
 * tip.pge inside_again
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    jmp outside
inside:
    testl %eax, %eax
    jz 1f
1:  call function
inside_again:
    TRACE_OFF
end:
    ret
outside:
    xorl %eax, %eax
    jmp inside
function:
    popq %rbx
    jmp inside_again
    ROW_END
