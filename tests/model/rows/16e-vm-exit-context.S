/*
 * Row 16e: VM exit that sets ContextEn (CR3 filter for the host's); before it a VM entry that clears it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 * pip 70000
 * tip.pge host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    SET_MSR RTIT_CR3_MATCH, TABLES
    TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    GUEST_ENTRY_AND_EXIT
    ROW_END
