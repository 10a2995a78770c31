/*
 * Row 13e: a fault with PacketEn before and after.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !
 * fup here
 * tip handler
 * tip resume
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 6, handler
    xorl %ebx, %ebx
    TRACE_ON
    testl %ebx, %ebx
    jz 1f
1:
here:
    ud2
resume:
    cli
    TRACE_OFF
    ret
handler:
    addq $2, (%rsp)
    iretq
    ROW_END
