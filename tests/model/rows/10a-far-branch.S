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
    FAR_POINTER pointer, target
    FAR_POINTER call_pointer, function
    ROW_END
