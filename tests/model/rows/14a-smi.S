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
    SMI_BY_PORT
    outb %al, $0xb2
    TRACE_ON
    TRACE_OFF
    ROW_END
