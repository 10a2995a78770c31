/*
 * Row 16b: VM exit whose MSR-load list sets TraceEn while ContextEn is 0, as WRMSR does (row 2a).
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_EXIT_LOADS_CTL CTL_DEFAULT & ~CTL_OS
    vmlaunch
host:
    TRACE_OFF
    VMX_END
    ret
guest:
    nop
    vmcall
    ROW_END
