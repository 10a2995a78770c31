/*
 * Row 17c: VM entry whose MSR-load list sets TraceEn while FilterEn is 0, as WRMSR does (row 2a). Row 16a follows.
 *
 * expect:
 * cbr *
 * pip 70000
 */
#include "row.h"

    ROW
    RANGE 0, row_start, host
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL CTL_DEFAULT | CTL_ADDR0_FILTER
    GUEST_ENTRY_AND_EXIT
    ROW_END
