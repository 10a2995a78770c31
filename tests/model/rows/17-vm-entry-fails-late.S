/*
 * VM entries that fail for the guest's state: PIP and TIP to the host, with no FUP (36.5.2.7); no PIP where VM exits are
 * concealed.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 70000
 * tip host
 * tip concealed
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VMWRITE 0x6820, 0 /* RFLAGS */
    movl $VM_EXIT_CONTROLS, %ebx
    vmread %rbx, %rbp
    orl $1 << 24, %ebp
    movl $0x6c16, %esi
    movl $concealed, %edi
    TRACE_ON
    vmlaunch
host:
    vmwriteq %rbp, %rbx
    vmwriteq %rdi, %rsi
    vmlaunch
concealed:
    HOST_END
guest:
    vmcall
    ROW_END
