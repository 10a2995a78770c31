/*
 * Row 30b: INIT, ContextEn 1 and FilterEn 0 before and after: PIP. (The second PIP is the MOV to CR3 of the ROM, which
 * starts again.)
 *
 * expect:
 * cbr *
 * pip 0
 * pip 70000
 */
#include "row.h"

    ROW
    RANGE 0, row_start, on
    movl $0xfee00300, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    nop
    INIT_TO_SELF
    ROW_END
