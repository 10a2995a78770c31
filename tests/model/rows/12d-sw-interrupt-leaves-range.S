/*
 * Row 12d: a software interrupt that clears FilterEn; row 12b: one that sets it; row 12f: one that does neither.
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
    GATE 0x82, outside_handler
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER

here:
    int $0x82
resume:
    cli
    jmp outside
inside_handler:
    iretq
end:
    nop
outside:
    GATE 0x82, inside_handler

here2:
    int $0x82
resume2:
    cli
    GATE 0x82, outside_handler

here3:
    int $0x82
resume3:
    cli
    TRACE_OFF
    ret
outside_handler:
    iretq
    ROW_END
