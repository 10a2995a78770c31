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
    movl $0x80000b58, %eax
    movl $0xcf8, %edx
    outl %eax, %dx
    movl $0x02000000, %eax /* PIIX4: a write to port B2H is an SMI */
    movl $0xcfc, %edx
    outl %eax, %dx
    movl $1, %eax
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    outb %al, $0xb2
    nop
    TRACE_OFF
    ROW_END
