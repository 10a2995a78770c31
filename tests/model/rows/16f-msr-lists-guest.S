/*
 * Row 17d: VM entry whose MSR-load list sets TraceEn, as WRMSR does; row 16f: VM exit whose list clears it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge guest
 * fup exits
 * pip 70000
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL CTL_DEFAULT
    VM_EXIT_LOADS_CTL CTL_DEFAULT & ~CTL_TRACE_EN
    GUEST_ENTRY_AND_EXIT_UNTRACED
    ROW_END
