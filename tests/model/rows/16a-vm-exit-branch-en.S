/*
 * Rows 16a, 17b with BranchEn = 0: PIPs; and a VMCS packet for VMPTRLD (36.2.5.4).
 *
 * expect:
 * cbr *
 * pip 72000, nr
 * pip 70000
 * vmcs 401000
 */
#include "row.h"

    ROW
    VMX_START guest, host
    TRACE_ON CTL_DEFAULT & ~CTL_BRANCH_EN
    vmlaunch
host:
    vmptrld vmcs_pointer(%rip)
    HOST_END
    GUEST
    VMX_POINTERS
    ROW_END
