/*
 * Row 12e: a software interrupt with PacketEn before and after.
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
    GATE 0x82, handler
    xorl %ebx, %ebx
    TRACE_ON
    testl %ebx, %ebx
    jz 1f
1:
here:
    int $0x82
resume:
    cli
    TRACE_OFF
    ret
handler:
    iretq
    ROW_END
