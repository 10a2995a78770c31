/*
 * Row 17i with only "conceal VMX non-root operation from PT": the VM entry's own PIP still has NR=1, that of the guest's
 * MOV to CR3 has not (36.4.2.7, 36.5.1).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip guest
 * pip 72000
 * fup exits
 * pip 70000
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_CONTROL_SET VM_SECONDARY, 1 << 19
    TRACE_ON
    vmlaunch
host:
    HOST_END
guest:
    movq %cr3, %rax
    movq %rax, %cr3
exits:
    vmcall
    ROW_END
