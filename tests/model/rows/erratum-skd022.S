/*
 * Erratum SKD022: a VM entry that clears TraceEn has a FUP with the address of VMLAUNCH (row 17g without it).
 *
 * options: profile=skylake, errata=skd022
 * perf: branches (an asynchronous end at VMLAUNCH, which it does not count)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup launch
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
launch:
    GUEST_ENTRY_AND_EXIT
    ROW_END
