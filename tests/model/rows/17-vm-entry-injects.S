/*
 * An event that a VM entry injects follows the entry's TIP as an event of its own: FUP has the guest's IP.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip guest
 * fup guest
 * tip handler
 * fup exits
 * pip 70000
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 0x82, handler
    VMX_START guest, host
    VMWRITE 0x4016, 0x80000082 /* an external interrupt */
    VMWRITE 0x6820, 0x202
    TRACE_ON
    vmlaunch
host:
    HOST_END
guest:
    nop
handler:
exits:
    vmcall
    ROW_END
