/*
 * Rows 16i, 17a: VM exit and VM entry with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    GUEST_ENTRY_AND_EXIT
    ROW_END
