/*
 * Row 14b: an SMI clears TraceEn: FUP, TIP.PGD. Row 15c: RSM sets it again, as WRMSR does (row 2d).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !
 * fup here
 * tip.pgd
 * cbr *
 * mode.exec cs.l
 * tip.pge here
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    movl $0xaa0f, 0x38000 /* the handler: RSM, at the address of reset */
    SMI_BY_PORT
    TRACE_ON
    testl %esp, %esp
    jnz 1f
1:  outb %al, $0xb2
here:
    nop
    TRACE_OFF
    ROW_END
