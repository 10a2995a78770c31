/*
 * Row 11e for an NMI: FUP with the next IP.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip handler
 * tip here
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 2, handler
    movl $0xfee00300, %ebx
    TRACE_ON
    movl $0x4400, (%rbx) /* NMI to APIC 0, which is this one */
here:
    nop
    TRACE_OFF
    ret
handler:
    iretq
    ROW_END
