/*
 * Row 16h by a MOV to CR3 that causes a VM exit: the instruction has no PIP of its own (36.5.2.5).
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
    VM_CONTROL_SET 0x4002, 1 << 15 /* CR3-load exiting */
    TRACE_ON
    vmlaunch
host:
    HOST_END
guest:
    movq %cr3, %rax
exits:
    movq %rax, %cr3
    ROW_END
