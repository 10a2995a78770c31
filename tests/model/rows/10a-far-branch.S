/*
 * Row 10a: far branches with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    ljmp *pointer
target:
    lcall *call_pointer
    TRACE_OFF
    ret
function:
    lretl
    .data
    .balign 8
pointer:
    .long target
    .word CODE64
    .balign 8
call_pointer:
    .long function
    .word CODE64
    .text
    ROW_END
