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
    INIT_TO_SELF
    ROW_END
