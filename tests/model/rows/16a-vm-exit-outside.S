/*
 * Rows 16a, 17b: VM exit and VM entry with ContextEn 1 and FilterEn 0 before and after: only PIPs.
 *
 * expect:
 * cbr *
 * pip 72000, nr
 * pip 70000
 */
#include "row.h"

    ROW
    RANGE 0, row_start, on
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    nop
    GUEST_ENTRY_AND_EXIT
    ROW_END
