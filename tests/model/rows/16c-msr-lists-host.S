/*
 * Row 17g: VM entry whose MSR-load list clears TraceEn; row 16c: VM exit whose list sets it, as WRMSR does.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip.pgd
 * cbr *
 * mode.exec cs.l
 * tip.pge host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL CTL_DEFAULT & ~CTL_TRACE_EN
    VM_EXIT_LOADS_CTL CTL_DEFAULT
    TRACE_ON
    GUEST_ENTRY_AND_EXIT
    ROW_END
