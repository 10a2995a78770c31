/*
 * Row 11e: a hardware interrupt with PacketEn before and after.
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
    GATE 0x40, handler
    INTERRUPT_WAITS 0x40
    xorl %ebx, %ebx
    TRACE_ON
    testl %ebx, %ebx
    jz 1f
1:    sti
    nop
here:
resume:
    cli
    TRACE_OFF
    ret
handler:
    END_OF_INTERRUPT
    iretq
    ROW_END
