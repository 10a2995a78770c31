/*
 * Row 5d: MOV to CR3 with PacketEn: PIP, and the TNT that was not full before it. With OS = 0 there is no PIP
 * (36.4.2.5); here OS = 1.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !
 * pip 72000
 * pip 70000
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    movl $OTHER_TABLES, %ebx
    TRACE_ON CTL_DEFAULT
    orl %ebx, %ebx
    jnz 1f
1:  movq %rbx, %cr3
    movl $TABLES, %ebx
    movq %rbx, %cr3
    TRACE_OFF
    ROW_END
