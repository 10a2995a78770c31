/*
 * Row 5e: MOV to CR3 where FilterEn goes to 0: the range was left by running on, which nothing notices before.
 * (The table says TIP.PGE; it is TIP.PGD, 36.4.2.5.)
 *
 * libipt: packets (it takes a TIP.PGD with an IP for a branch)
 * perf: packets (it does not know MOV to CR3, and takes the TIP.PGD for the next branch's)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000
 * tip.pgd outside
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    movl $OTHER_TABLES, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    nop
end:
    movq %rbx, %cr3
outside:
    TRACE_OFF
    ROW_END
