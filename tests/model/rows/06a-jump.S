/*
 * Row 6a: near direct jumps and calls outside of the filter range; row 6 with PacketEn before and after: they
 * write nothing either.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge inside
 * tip.pgd outside
 */
#include "row.h"

    ROW
    RANGE 0, inside, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    jmp 1f
1:  call 2f
2:  jmp inside
inside:
    jmp 3f
3:  call 4f
4:  jmp outside
end:
outside:
    addq $16, %rsp
    TRACE_OFF
    ROW_END
