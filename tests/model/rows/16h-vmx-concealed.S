/*
 * Rows 17i and 16h with all three "conceal VMX from PT" controls: no PIP for the VM entry and exit, NR=0 in the guest's own
 * PIP (36.5.1).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip guest
 * pip 72000
 * fup exits
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_CONTROL_SET 0x401e, 1 << 19
    VM_CONTROL_SET 0x400c, 1 << 24
    VM_CONTROL_SET 0x4012, 1 << 17
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
