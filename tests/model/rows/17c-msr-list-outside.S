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
    vmlaunch
host:
    TRACE_OFF
    VMX_END
    ret
guest:
    nop
    vmcall
    ROW_END
