/*
 * Row 11d: a hardware interrupt that clears FilterEn; row 11b: one that sets it; row 11f: one that does neither.
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
    GATE 0x40, outside_handler
    INTERRUPT_WAITS 0x40
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    sti
    nop
here:
resume:
    cli
    jmp outside
inside_handler:
    END_OF_INTERRUPT
    iretq
end:
    nop
outside:
    GATE 0x40, inside_handler
    INTERRUPT_WAITS 0x40
    sti
    nop
here2:
resume2:
    cli
    GATE 0x40, outside_handler
    INTERRUPT_WAITS 0x40
    sti
    nop
here3:
resume3:
    cli
    TRACE_OFF
    ret
outside_handler:
    END_OF_INTERRUPT
    iretq
    ROW_END
