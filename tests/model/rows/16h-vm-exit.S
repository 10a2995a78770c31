/*
 * Row 17i: VM entry; row 16h: VM exit, PacketEn before and after: PIP with NR=1 and NR=0. FUP has the guest's IP.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip guest
 * fup exits
 * pip 70000
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    TRACE_ON
    GUEST_ENTRY_AND_EXIT
    ROW_END
