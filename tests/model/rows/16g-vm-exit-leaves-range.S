/*
 * Row 17f: VM entry that sets FilterEn; row 16g: VM exit that clears it.
 *
 * expect:
 * cbr *
 * pip 72000, nr
 * mode.exec cs.l
 * tip.pge guest
 * fup exits
 * pip 70000
 * tip.pgd host
 */
#include "row.h"

    ROW
    RANGE 0, guest, end
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    GUEST_ENTRY_AND_EXIT
end:
    ROW_END
