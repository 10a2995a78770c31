/*
 * Row 13d: a fault that clears FilterEn; row 13b: one that sets it; row 13f: one that does neither.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip.pgd outside_handler
 * tip.pge resume
 * tip.pgd outside
 * tip.pge inside_handler
 * tip.pgd resume2
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    GATE 6, outside_handler
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER

here:
    ud2
resume:
    cli
    jmp outside
inside_handler:
    addq $2, (%rsp)
    iretq
end:
    nop
outside:
    GATE 6, inside_handler

here2:
    ud2
resume2:
    cli
    GATE 6, outside_handler

here3:
    ud2
resume3:
    cli
    TRACE_OFF
    ret
outside_handler:
    addq $2, (%rsp)
    iretq
    ROW_END
