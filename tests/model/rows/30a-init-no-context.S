/*
 * Row 30a: INIT with OS = 0, ContextEn 0 before and after: CPL 0 is not traced, nor is real-address mode (36.2.4.1).
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    movl $0xfee00300, %ebx
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    movl $0x4500, (%rbx) /* INIT to APIC 0, which is this one: the ROM starts again and goes on to the next row */
here:
    nop
    TRACE_OFF
    ret
    ROW_END
