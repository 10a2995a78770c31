/*
 * Rows 14a, 15a: an SMI with TraceEn 0, and RSM: nothing.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    movl $0xaa0f, 0x38000 /* the handler: RSM, at the address of reset */
    movl $0x80000b58, %eax
    movl $0xcf8, %edx
    outl %eax, %dx
    movl $0x02000000, %eax /* PIIX4: a write to port B2H is an SMI */
    movl $0xcfc, %edx
    outl %eax, %dx
    movl $1, %eax
    outb %al, $0xb2
    TRACE_ON
    TRACE_OFF
    ROW_END
