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
    GUEST_ENTRY_AND_EXIT
    ROW_END
