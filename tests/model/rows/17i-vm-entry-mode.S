/*
 * Rows 17i and 16h with MODE.Exec: the guest runs in compatibility mode (Table "Packets on VMX Transitions").
 *
 * code32: guest row_end
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * mode.exec cs.d
 * tip guest
 * fup exits
 * pip 70000
 * mode.exec cs.l
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VMWRITE 0x802, CODE32 /* CS and its access rights */
    VMWRITE 0x4816, 0xc09b
    TRACE_ON
    vmlaunch
host:
    HOST_END
    .code32
guest:
    nop
exits:
    cpuid
    .code64
    ROW_END
