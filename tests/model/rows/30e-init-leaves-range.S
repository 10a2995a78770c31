/*
 * Row 30e: INIT that clears FilterEn. (The second PIP is the MOV to CR3 of the ROM, which starts again.)
 *
 * mapped: 0
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * pip 0
 * tip.pgd *
 * pip 70000
 */
#include "row.h"

    ROW
    RANGE 0, on, row_end
    movl $0xfee00300, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    INIT_TO_SELF
    ROW_END
