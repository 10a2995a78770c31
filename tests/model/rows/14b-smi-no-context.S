/*
 * Rows 14a and 15b with ContextEn 0: RSM is row 2a.
 *
 * expect:
 * cbr *
 * cbr *
 */
#include "row.h"

    ROW
    movl $0xaa0f, 0x38000 /* the handler: RSM, at the address of reset */
    SMI_BY_PORT
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    outb %al, $0xb2
    nop
    TRACE_OFF
    ROW_END
