/*
 * Row 16f where only the guest's CR3 passes the CR3 filter: no PIP, which would have the host's (36.2.4.2, row 16j).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge guest
 * fup exits
 * tip.pgd
 */
#include "row.h"

    ROW
    SET_MSR RTIT_CR3_MATCH, OTHER_TABLES
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL CTL_DEFAULT | CTL_CR3_FILTER
    VM_EXIT_LOADS_CTL CTL_DEFAULT & ~CTL_TRACE_EN
    GUEST_ENTRY_AND_EXIT_UNTRACED
    ROW_END
