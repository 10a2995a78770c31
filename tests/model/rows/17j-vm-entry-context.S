/*
 * Row 17j: VM entry that sets ContextEn (CR3 filter for the guest's); row 16j: VM exit that clears it. (Row 17j has no
 * PIP; OS = 1, so 36.4.2.7 and row 5b have one.)
 *
 * expect:
 * cbr *
 * pip 72000, nr
 * mode.exec cs.l
 * tip.pge guest
 * fup exits
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    SET_MSR RTIT_CR3_MATCH, OTHER_TABLES
    TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    GUEST_ENTRY_AND_EXIT
    ROW_END
